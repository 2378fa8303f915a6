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
