// Pulumi reports an error by a rejected promise that nobody handles, for which Jest fails the running test. Here a test may collect them.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
  handleTestEvent({ name, error, promise }) {
    const { rejections } = this.global;
    if (name === 'error' && promise !== undefined && rejections !== undefined) {
      rejections.push(error);
      // Jest forgets a rejection that is handled later
      promise.catch(() => undefined);
    }
  }
};
