import { X509Certificate } from 'node:crypto';
import { sha256OfBytes } from '../base/content-hash.js';

/** The hash of the public key of the cluster CA in a kubeconfig, as kubeadm prints it; undefined if there is none. */
export function caHashIn(kubeconfig: string): string | undefined {
  const data = /certificate-authority-data: *"?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1];
  try {
    const key = new X509Certificate(Buffer.from(data ?? '', 'base64')).publicKey;
    return `sha256:${sha256OfBytes(key.export({ type: 'spki', format: 'der' }))}`;
  } catch {
    return undefined;
  }
}
