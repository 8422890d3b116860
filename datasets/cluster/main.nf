// Nextflow: nextflow run main.nf. A process for each night; parts of different files merge too.
process count {
    cpus 1
    input:
    path night
    output:
    path "*.part.h5"
    script:
    "statepath compare $night --model sleep-aasm --threads 1 --part ${night.baseName}.part.h5"
}

process merge {
    publishDir '.', mode: 'copy'
    input:
    path parts
    output:
    path "nights.*"
    script:
    "statepath merge $parts --report nights.html --json nights.json"
}

workflow {
    Channel.fromPath('nights/*.h5') | count | collect | merge
}
