#: images
# Each file once; the runtime has to run.
import_images() {
  for image in "$image_folder"/*.tar; do
    [ -e "$image" ] || continue
    which="$(cksum < "$image") $image"
    grep -qxF -e "$which" "$state/imported" 2>/dev/null && continue
    import_image "$image" </dev/null || { say "$image cannot be imported"; return 74; }
    echo "$which" >> "$state/imported"
  done
}
#: images-by-ctr
import_image() { ctr -n k8s.io images import "$1"; }
#: images-by-podman
# CRI-O has no program that imports, and podman has its storage.
import_image() {
  command -v podman >/dev/null 2>&1 || { say 'podman, which imports images, is not installed'; return 127; }
  podman load -q -i "$1" >/dev/null
}
#: pull-images
# What no folder has brought is pulled by the program of the runtime; the runtime has to run.
pull_images() {
  command -v crictl >/dev/null 2>&1 || { say 'crictl, which pulls images, is not installed'; return 127; }
  for image in $images; do
    crictl --runtime-endpoint "$cri" inspecti -q "$image" >/dev/null 2>&1 ||
      crictl --runtime-endpoint "$cri" pull "$image" </dev/null >/dev/null ||
      { say "$image cannot be pulled"; return 69; }
  done
}
