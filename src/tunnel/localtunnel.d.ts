/** One connection between a localtunnel relay and a local server; only the part of the package that we use. */
declare module 'localtunnel/lib/TunnelCluster.js' {
  import type { EventEmitter } from 'node:events';

  interface ClusterOptions {
    readonly remote_host: string;
    /** Used instead of the name if the relay gives it. */
    readonly remote_ip: string | undefined;
    readonly remote_port: number;
    readonly local_port: number;
  }

  export default class TunnelCluster extends EventEmitter {
    constructor(options: ClusterOptions);
    open(): void;
  }
}
