# The token goes into a copy in memory; echo is a builtin, so no argument has it.
config=$state/join.yaml join_config=$run/token-config.yaml leftovers="$leftovers $join_config"
fill() (
  umask 077
  echo "/^ *[a-zA-Z]*oken: /s/token0[.]placeholder00000/$token/" | sed -f /dev/stdin "$config" > "$join_config"
)
