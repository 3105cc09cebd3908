# What bin/demo and bin/example share: building the examples, and running one of them with plain java.
# They are built into directories of their own (target/demo in each module), so that no other build gets in the way.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
readonly modules="job-api job-core job-zk job-lite-bootstrap job-testkit examples"
readonly built=$root/examples/target/demo

java=java
if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; fi

# A number for everything that the build reads, and for everything that it has written.
fingerprint() {
  local module
  (
    cd "$root"
    for module in $modules; do
      find "$module/pom.xml" "$module/src/main" "$module/target/demo/classes" -type f 2>/dev/null || true
    done
    echo pom.xml
  ) | sort | (cd "$root" && tr '\n' '\0' | xargs -0 cksum) | cksum
}

is_built() {
  local entry
  [ -f "$built/fingerprint" ] && [ "$(cat "$built/fingerprint")" = "$(fingerprint)" ] || return 1
  while IFS= read -r entry; do
    [ -e "$entry" ] || return 1
  done < <(tr ':' '\n' <"$built/classpath"; echo)
}

# Builds the examples and what they stand on unless that is done; one at a time, where there is flock to see to it.
build_examples() {
  mkdir -p "$built"
  (
    if command -v flock >/dev/null; then flock 9; fi
    is_built || build
  ) 9>"$built/lock"
}

# Maven's output is shown only if it fails.
build() {
  echo "building (only when something has changed) ..."
  if ! (cd "$root" && mvn -B -q -pl examples -am -Dostraka.build.directory=target/demo -Dmaven.test.skip=true \
      -Dspotless.check.skip=true -Djacoco.skip=true compile dependency:build-classpath \
      -DincludeScope=runtime -Dmdep.outputFile=target/demo/classpath) >"$built/build.log" 2>&1 9>&-; then
    cat "$built/build.log" >&2
    echo "The build failed." >&2
    return 1
  fi
  fingerprint >"$built/fingerprint"
}

# Becomes the program whose class is $1 below io.ostraka.examples, so that signals reach it. OSTRAKA_LOG=debug lets the
# library say more. The first options keep newer JVMs from warning of what ZooKeeper's libraries do.
run_example() {
  local log=-Dorg.slf4j.simpleLogger class=$1
  shift
  exec "$java" -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow -XX:+UseSerialGC -Xmx256m \
    $log.defaultLogLevel=warn "$log.log.io.ostraka=${OSTRAKA_LOG:-warn}" \
    $log.showDateTime=true $log.dateTimeFormat=HH:mm:ss.SSS \
    -cp "$built/classes:$(cat "$built/classpath")" "io.ostraka.examples.$class" "$@"
}

# Whether the terminal has at least $1 lines of $2 columns.
is_large_enough() {
  local size
  size=$(stty size 2>/dev/null </dev/tty) || return 1
  [ "${size% *}" -ge "$1" ] && [ "${size#* }" -ge "$2" ]
}
