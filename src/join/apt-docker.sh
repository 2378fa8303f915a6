# docs.docker.com/engine/install/debian and ubuntu; apt refuses one repository with two keys
add_docker() {
  codename=$(. /etc/os-release; echo "${UBUNTU_CODENAME:-${VERSION_CODENAME-}}")
  distribution=$(
    . /etc/os-release
    case " ${ID-} ${ID_LIKE-} " in
      *" ubuntu "*) echo ubuntu ;;
      *" raspbian "*) echo raspbian ;;
      *) echo debian ;;
    esac
  )
  base=${runtime_repository:-https://download.docker.com/linux/$distribution}
  add_repository docker "$base/gpg" "$base $codename stable" "arch=$(dpkg --print-architecture) "
}
