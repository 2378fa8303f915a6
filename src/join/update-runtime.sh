save_runtime() { runtime_now > "$update/old/runtime"; }
find_runtime() { has_runtime || outdated=1 runtime=1 units=1 changed="$changed, $runtime_package"; }
return_runtime() {
  was=$(cat "$update/old/runtime" 2>/dev/null)
  [ -z "$was" ] || [ "$was" = "$(runtime_now)" ] || install_runtime "$was" || lost="$lost $was"
}
