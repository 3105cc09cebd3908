# Functions that the commands in this directory share: they build a module's programs and run one of them with plain java.
# A script sources this file, and then calls `program` with the directory of its module. The archive of bin/package also contains
# this file, for the console.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# The directories of the modules, for all scripts.
readonly bom=build/bom
readonly library="job-api job-core job-zk job-lite-bootstrap operator/operations job-testkit"
readonly history=extensions/history jdbc=extensions/jdbc micrometer=extensions/micrometer remote=extensions/remote
readonly http=extensions/http job_types=extensions/job-types
readonly console=operator/console cli=operator/cli monitoring=operator/monitoring
readonly spring=spring/common spring_boot_3=spring/boot-3 spring_boot_4=spring/boot-4
readonly spring_boot_3_starter=spring/boot-3-starter spring_boot_4_starter=spring/boot-4-starter
readonly examples=examples/plain playground=examples/playground
readonly example_minimal=examples/spring-boot example_settlement=examples/spring-boot-settlement
readonly fixtures=verification/fixtures faults=verification/faults bench=verification/bench

# Says which programs are run: those in the package $1 of the module $2, which depends on the library and on the modules ${@:3}.
# The classes are built into target/demo of each module, apart from those of other builds.
program() {
  package=$1 module=$2
  shift 2
  also=$*
  modules="$library $also $module"
  built=$root/$module/target/demo
}

# Succeeds in a checkout of the sources, and fails in the unpacked archive of bin/package.
is_checkout() { [ -f "$root/pom.xml" ]; }

java=java
if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; fi

# Prints a checksum of all files that the build reads and of all files that it has written.
fingerprint() {
  local each
  (
    cd "$root"
    for each in $modules; do
      find "$each/pom.xml" "$each/src/main" "$each/target/demo/classes" -type f 2>/dev/null || true
    done
    printf "%s\n" pom.xml $bom/pom.xml
  ) | sort | (cd "$root" && tr '\n' '\0' | xargs -0 cksum) | cksum
}

is_built() {
  local entry
  [ -f "$built/fingerprint" ] && [ "$(cat "$built/fingerprint")" = "$(fingerprint)" ] || return 1
  while IFS= read -r entry; do
    [ -e "$entry" ] || return 1
  done < <(tr ':' '\n' <"$built/classpath"; echo)
}

# Builds the module and its dependencies unless they are up to date. If flock is installed, only one build runs at a time.
build_program() {
  mkdir -p "$built" "$root/target"
  (
    if command -v flock >/dev/null; then flock 9; fi
    is_built || build
  ) 9>"$root/target/programs.lock"
}

# Copies the classes of the build to the directory $1 below each target, with the times of the files. Maven then compiles nothing
# there, if it only looks for sources that are newer than their classes.
reuse_classes() {
  local target
  find "$root" -type d -name target -prune -print | while IFS= read -r target; do
    if [ -d "$target/classes" ] || [ -d "$target/test-classes" ]; then
      mkdir -p "$target/$1"
      rm -rf "$target/$1/classes" "$target/$1/test-classes"
      cp -a "$target/classes" "$target/test-classes" "$target/$1" 2>/dev/null || true
    fi
  done
}

# Shows Maven's output only if the build fails.
build() {
  if [ -f "$built/fingerprint" ]; then
    echo "building, because files have changed ..."
  else
    echo "building; the first build downloads dependencies and takes a minute or two ..."
  fi
  if ! (cd "$root" && mvn -B -q -pl "$module" -am -Dostraka.build.directory=target/demo -Dmaven.test.skip=true \
      -Dostraka.checks=-nowarn -Dspotless.check.skip=true compile dependency:build-classpath \
      -DincludeScope=runtime -Dmdep.outputFile=target/demo/classpath) >"$built/build.log" 2>&1 9>&-; then
    cat "$built/build.log" >&2
    echo "The build failed." >&2
    return 1
  fi
  fingerprint >"$built/fingerprint"
}

# Compiles the sources ${@:4} into $3/classes, against the class path $2 and the dependencies that Maven resolves for the project
# $1 alone. Their class path is written to $3/classpath.
separate_classpath() {
  local project=$1 also_on_path=$2 target=$3 javac=${java%java}javac
  shift 3
  mkdir -p "$target/classes"
  if ! [ "$target/classpath" -nt "$project/pom.xml" ]; then
    mvn -B -q -f "$project/pom.xml" dependency:build-classpath "-Dmdep.outputFile=$target/classpath" >&2
  fi
  "$javac" -nowarn -proc:none -d "$target/classes" -cp "$also_on_path:$(cat "$target/classpath")" "$@" >&2
}

# Prints the class path of ElasticJob's processes: the dependencies that Maven resolves for ElasticJob alone, the built classes,
# and the classes of the sources $@, which this function compiles against both.
elasticjob_classpath() {
  local target=$built/elasticjob each classes=$built/classes
  for each in $also; do classes+=:$root/$each/target/demo/classes; done
  separate_classpath "$root/$bench/elasticjob" "$classes" "$target" "$@"
  echo "$target/classes:$classes:$(cat "$target/classpath")"
}

# Replaces the shell with the program $1 of $package, so signals reach the program. Its heap is $heap, by default 256m. $class_path
# is that of the built classes by default. $libraries is empty or a colon and further jars.
# OSTRAKA_LOG sets the library's log level. Jetty's parser would log the bytes of each bad request as they are. With the first options, newer JVMs do not warn about ZooKeeper's libraries.
run_program() {
  local log=-Dorg.slf4j.simpleLogger class=$1
  shift
  exec "$java" -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow -XX:+UseSerialGC "-Xmx${heap:-256m}" -XX:+ExitOnOutOfMemoryError \
    $log.defaultLogLevel=warn "$log.log.io.ostraka=${OSTRAKA_LOG:-warn}" \
    $log.log.org.apache.curator=off $log.log.org.apache.zookeeper=off $log.log.org.apache.zookeeper.server=error \
    $log.log.org.eclipse.jetty.http.HttpParser=error \
    $log.showDateTime=true $log.dateTimeFormat=HH:mm:ss.SSS \
    -cp "${class_path:-$built/classes:$(cat "$built/classpath")}${libraries:-}" "$package.$class" "$@"
}

# Succeeds if the terminal has at least $1 lines and $2 columns.
is_large_enough() {
  local size
  size=$(stty size 2>/dev/null </dev/tty) || return 1
  [ "${size% *}" -ge "$1" ] && [ "${size#* }" -ge "$2" ]
}
