# CRI-O has no program that imports, and podman has its storage.
import_image() {
  command -v podman >/dev/null 2>&1 || { say 'podman, which imports images, is not installed'; return 127; }
  podman load -q -i "$1" >/dev/null
}
