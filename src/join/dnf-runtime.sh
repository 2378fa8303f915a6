# NAME VERSION-RELEASE
runtime_now() { rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n' $runtime_alternatives | head -n 1; }
has_runtime() {
  if [ -z "$runtime_version" ]; then rpm -q "$runtime_package" >/dev/null 2>&1
  else [ "$(rpm -q --qf '%{VERSION}' "$runtime_package" 2>/dev/null)" = "$runtime_version" ]; fi
}
