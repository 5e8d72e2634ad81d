/** One connection between a localtunnel relay and a local server; the part of the package that is used here. */
declare module 'localtunnel/lib/TunnelCluster.js' {
  import type { EventEmitter } from 'node:events';

  interface ClusterOptions {
    readonly remote_host: string;
    /** Taken instead of the name where the relay tells it. */
    readonly remote_ip: string | undefined;
    readonly remote_port: number;
    readonly local_port: number;
  }

  export default class TunnelCluster extends EventEmitter {
    constructor(options: ClusterOptions);
    open(): void;
  }
}
