import * as pulumi from '@pulumi/pulumi';
import type { EdgeError } from '../errors.js';

/** An EdgeError as the engine shows errors of arguments: all of them at once, each at its property. */
export function inputErrors(error: EdgeError): pulumi.InputPropertiesError {
  return new pulumi.InputPropertiesError({
    message: error.message,
    errors: error.problems.map(({ code, path, message, hint }) => ({
      propertyPath: path,
      reason: `${code}: ${message}; ${hint}`,
    })),
  });
}
