# is_version OF-PACKAGE OF-PROGRAM: 1:1.7.27~ds1-1 is a version of 1.7.27; every one is, of an empty text
is_version() {
  case ${1#*:} in "$2" | "$2"[!0-9.]*) ;; *) [ -z "$2" ] ;; esac
}
