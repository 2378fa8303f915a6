// Pulumi reports what is refused by promises that nobody handles, as an engine does. Jest would fail the test that runs; here a test may ask for them.
const Environment = require('../environment.cjs');

module.exports = class extends Environment {
  async setup() {
    await super.setup();
    /** Runs something, and returns the rejections that nobody handled meanwhile. */
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
