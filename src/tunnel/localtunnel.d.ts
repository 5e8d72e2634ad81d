/** Connects a localtunnel relay to a local server. Declares only the used part of the package. */
declare module 'localtunnel/lib/TunnelCluster.js' {
  import type { EventEmitter } from 'node:events';

  interface ClusterOptions {
    readonly remote_host: string;
    /** IP address used instead of the host name, if provided by the relay. */
    readonly remote_ip: string | undefined;
    readonly remote_port: number;
    readonly local_port: number;
  }

  export default class TunnelCluster extends EventEmitter {
    constructor(options: ClusterOptions);
    open(): void;
  }
}
