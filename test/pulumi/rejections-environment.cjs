// Pulumi reports a rejection by a promise without a handler. Jest would fail the running test for it; here a test can collect these rejections.
const Environment = require('../environment.cjs');

module.exports = class extends Environment {
  async setup() {
    await super.setup();
    /** Runs something, and returns the unhandled rejections until it ends. */
    this.global.rejectionsDuring = async (run) => {
      const others = process.listeners('unhandledRejection');
      const found = [];
      const listener = (error) => found.push(error);
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
      try {
        await run();
        await new Promise((resolve) => setTimeout(resolve, 0));
      } finally {
        process.off('unhandledRejection', listener);
        others.forEach((other) => process.on('unhandledRejection', other));
      }
      return found;
    };
  }
};
