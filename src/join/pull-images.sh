# What no folder has brought is pulled by the program of the runtime; the runtime has to run.
pull_images() {
  command -v crictl >/dev/null 2>&1 || { say 'crictl, which pulls images, is not installed'; return 127; }
  for image in $images; do
    crictl --runtime-endpoint "$cri" inspecti -q "$image" >/dev/null 2>&1 ||
      crictl --runtime-endpoint "$cri" pull "$image" </dev/null >/dev/null ||
      { say "$image cannot be pulled"; return 69; }
  done
}
