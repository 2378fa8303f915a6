import { ControlPlane, type ControlPlaneProps } from './control-plane.js';
import type { Proof } from './group.js';

/** Runs something on a control plane of its own; keeps the logs when a check fails, or when it breaks off. */
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
