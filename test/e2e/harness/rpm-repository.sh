#!/bin/sh
# rpm-repository.sh FOLDER VERSION…: a signed repository in FOLDER/repo with tiny kubelet and kubeadm of these versions, without requirements.
# The installation of the last version takes until /run/quick exists: time for a power failure in it.
set -eu
folder=$1
shift
GNUPGHOME=$folder/gpg HOME=$folder
export GNUPGHOME HOME
mkdir -p "$folder/repo" "$GNUPGHOME"
chmod 0700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-gen-key 'edge <edge@example.com>' rsa2048 sign never
while [ $# -gt 0 ]; do
  for name in kubelet kubeadm; do
    cat > "$folder/$name.spec" <<END
Name: $name
Version: $1
Release: 150500.1.1
Summary: $name
License: Apache-2.0
BuildArch: noarch
AutoReqProv: no
%description
$name
%install
mkdir -p %{buildroot}/usr/bin
cp $folder/$name %{buildroot}/usr/bin/$name
%files
%attr(0755, root, root) /usr/bin/$name
END
    [ $# -gt 1 ] || cat >> "$folder/$name.spec" <<'END'
%post -p <lua>
for i = 1, 300 do if not posix.stat("/run/quick") then posix.sleep(1) end end
END
    # as kubeadm upgrade node would
    printf '#!/bin/sh\ncase $1 in --version) echo Kubernetes v%s ;; upgrade) cp /run/kubelet-config /var/lib/kubelet/config.yaml ;; version) echo %s ;; esac\n' "$1" "$1" > "$folder/$name"
    rpmbuild --quiet -bb --define "_topdir $folder/top" --define "_rpmdir $folder/repo" "$folder/$name.spec"
  done
  shift
done
# rpm of Debian does not know where gpg is
rpmsign --define "__gpg $(command -v gpg)" --define '_gpg_name edge' --addsign "$folder"/repo/noarch/*.rpm
createrepo_c -q "$folder/repo"
gpg --batch --armor --detach-sign "$folder/repo/repodata/repomd.xml"
gpg --armor --export edge > "$folder/repo/repodata/repomd.xml.key"
