#: forget
# Removes the token; after a power cut systemd does it, before kubelet starts.
forget() { rm -f $leftovers ${secret-} /etc/tmpfiles.d/edge-nodepools.conf "$run/lock"; }
forget_at_boot() {
  mkdir -p /etc/tmpfiles.d && printf 'r! %s\n' $leftovers > /etc/tmpfiles.d/edge-nodepools.conf
}
#: token
# Blanks, line ends and a byte order mark are no part of a token.
get_token() {
  read_token || return 66
  token=$(echo "$token" | tr -d '\357\273\277' | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d')
  case $token in
    *[!a-z0-9.]* | *.*.* | token0.placeholder00000) ;;
    ??????.????????????????) return ;;
  esac
  say "$token_from does not hold a token: ${#token} characters, not one line with 6, a dot and 16 of a-z and 0-9"
  return 65
}
#: remove-token
remove_token() { rm -f "$token_from"; }
#: token-into-config
# The token goes into a copy in memory; echo is a builtin, so no argument has it.
config=$state/join.yaml join_config=$run/token-config.yaml leftovers="$leftovers $join_config"
fill() (
  umask 077
  echo "/^ *[a-zA-Z]*oken: /s/token0[.]placeholder00000/$token/" | sed -f /dev/stdin "$config" > "$join_config"
)
#: token-of-command
read_token() {
  token=$(sh -c "$token_command") || { say "the command for the token failed with status $?"; return 66; }
}
#: token-of-file
read_token() { token=$(cat "$token_from") || { say "$token_from cannot be read"; return 66; }; }
#: token-of-join
# The token came with the files of the join, in $config, which is removed after every run. The placeholder is in
# two parts, so that a program that replaces it leaves this script alone.
get_token() {
  token=
  while IFS= read -r line; do
    case $line in "$token_line"*) token=${line#"$token_line"}; break ;; esac
  done 2>/dev/null < "$config"
  # without its last quote it has a line end, which would split the document
  case $token_line$token in
    *\"\") token= ;;
    *\"?*\") token=${token#\"} token=${token%\"} ;;
    *\"*) say "$token_from does not hold a token: it has more than one line"; return 65 ;;
  esac
  case $token in
    '' | 'token0.''placeholder00000') say "$missing"; return 66 ;;
    *[!a-z0-9.]* | *.*.*) ;;
    ??????.????????????????) return ;;
  esac
  say "$token_from does not hold a token: it has other characters than a to z, 0 to 9 and one dot, or not 6 and 16"
  return 65
}
#: token-of-timed-command
# The output goes to a file in memory, so that what the command has started cannot keep this script waiting.
output=$run/token-output leftovers="$leftovers $output"
read_token() {
  command -v timeout >/dev/null 2>&1 || { say 'timeout is not installed'; return 127; }
  status=0
  mkdir -p "$run" && chmod 0700 "$run" || return
  (umask 077; exec timeout -s KILL "$token_seconds" sh -c "$token_command" </dev/null > "$output") || status=$?
  token=$(cat "$output")
  rm -f "$output"
  case $status in
    0) return ;;
    124 | 137) say "the command for the token has not ended in $token_seconds s" ;;
    *) say "the command for the token failed with status $status" ;;
  esac
  return 66
}
