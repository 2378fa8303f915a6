// The environment of every suite. jest-circus keeps an AsyncLocalStorage for each suite and never disables it: without this, Node.js 20 writes one more
// property on every promise with every suite that a worker has run.
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const enabled = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  enabled.add(this);
  return run.apply(this, args);
};

module.exports = class extends TestEnvironment {
  async teardown() {
    enabled.forEach((storage) => storage.disable());
    enabled.clear();
    await super.teardown();
  }
};
