#!/bin/sh
# Nextflow from the jars of $NEXTFLOW_JARS, without its launcher, which fetches them anew. It keeps its own files beside them.
opens=""
for package in lang io nio net util util.regex util.concurrent.atomic util.concurrent.locks; do
  opens="$opens --add-opens=java.base/java.$package=ALL-UNNAMED"
done
NXF_HOME=$NEXTFLOW_JARS/home NXF_OFFLINE=true exec java $opens --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
  --add-opens=java.base/sun.nio.fs=ALL-UNNAMED -cp "$NEXTFLOW_JARS/*" nextflow.cli.Launcher "$@"
