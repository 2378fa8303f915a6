# The token goes into a copy of the configuration in memory; echo is a builtin of every shell, so no argument has it.
fill() (
  mkdir -p "$run" && chmod 0700 "$run" && umask 077 || exit
  echo "$token" | awk 'NR == FNR { token = $1; next }
    !done && /^ *(token|tlsBootstrapToken): / { done = sub(/token0[.]placeholder00000/, token) }
    { print }' - "$config" > "$run/token-config.yaml"
)
