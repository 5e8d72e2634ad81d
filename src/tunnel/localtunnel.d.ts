/** Connections from a localtunnel relay to a local server; declares only the used part of the package. */
declare module 'localtunnel/lib/TunnelCluster.js' {
  import type { EventEmitter } from 'node:events';

  interface ClusterOptions {
    readonly remote_host: string;
    /** Used instead of the host name if the relay provides it. */
    readonly remote_ip: string | undefined;
    readonly remote_port: number;
    readonly local_port: number;
  }

  export default class TunnelCluster extends EventEmitter {
    constructor(options: ClusterOptions);
    open(): void;
  }
}
