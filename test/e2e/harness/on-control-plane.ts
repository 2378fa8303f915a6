import { ControlPlane, type ControlPlaneProps } from './control-plane.js';
import type { Proof } from './group.js';

/** Runs something on a new control plane; keeps the logs if a check fails, or after an error. */
export async function onControlPlane(
  props: ControlPlaneProps,
  proof: Proof,
  run: (plane: ControlPlane) => Promise<void>,
): Promise<void> {
  const plane = await ControlPlane.start(props);
  const before = proof.failures.length;
  let ended = false;
  try {
    await run(plane);
    ended = true;
  } finally {
    const failed = !ended || proof.failures.length > before;
    await plane.stop({ keepLogs: failed });
    if (failed) {
      proof.note(`logs are kept in ${plane.folder}`);
    }
  }
}
