// Loaded with `node --require`. Some servers listen on every interface and have no option for it; a test must not
// open a port to the network. So a `listen` that names a port and no host gets the loopback address.
'use strict';
const { Server } = require('node:net');

const listen = Server.prototype.listen;
const isPort = (value) => typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));

Server.prototype.listen = function (first, ...rest) {
  if (isPort(first) && typeof rest[0] !== 'string') {
    return listen.call(this, first, '127.0.0.1', ...rest);
  }
  if (first !== null && typeof first === 'object' && first.port !== undefined && first.host === undefined) {
    return listen.call(this, { ...first, host: '127.0.0.1' }, ...rest);
  }
  return listen.call(this, first, ...rest);
};
