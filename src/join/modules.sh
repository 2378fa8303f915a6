load_modules() {
  for module in $modules; do
    [ -e "/sys/module/$(echo "$module" | tr - _)" ] || modprobe "$module" ||
      { say "the module $module cannot be loaded"; return 78; }
  done
}
