// The environment of every suite: Jest's own, with less work for each suite and each error.
const { AsyncLocalStorage } = require('node:async_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// jest-circus makes an AsyncLocalStorage for each suite and never disables it: Node.js 20 then writes a property for each of them on every promise
const enabled = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  enabled.add(this);
  return run.apply(this, args);
};

// every suite loads its own modules, and those of its packages, and Node.js has no cache for the function with which Jest compiles them
const compiled = new Map();
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) => {
  const key = `${options.filename} ${parameters}`;
  const known = compiled.get(key);
  if (known?.code === code) {
    return compileFunction(code, parameters, { ...options, cachedData: known.data });
  }
  const result = compileFunction(code, parameters, { ...options, produceCachedData: true });
  // the result's own buffer would keep everything of this suite in memory
  compiled.set(key, { code, data: Buffer.from(result.cachedData) });
  return result;
};

// by default the memory of a worker doubles before it is freed, up to more than 1 GB
v8.setFlagsFromString('--heap-growing-percent=50');

// most code of a suite runs a few times only: optimizing it costs a quarter of the CPU time, and pays at full depth alone
if (process.env.EDGE_NODEPOOLS_TEST_DEPTH !== 'full') {
  v8.setFlagsFromString('--interrupt-budget=2000000');
}

module.exports = class extends TestEnvironment {
  constructor(...args) {
    super(...args);
    // the default of Node.js; Jest takes 100 frames of every error, also of those that a package catches
    this.global.Error.stackTraceLimit = 10;
  }

  async teardown() {
    enabled.forEach((storage) => storage.disable());
    enabled.clear();
    await super.teardown();
  }
};
