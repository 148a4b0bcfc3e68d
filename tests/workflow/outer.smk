from pdgmm import snakefile

configfile: "config.yaml"

rule count:
    input: "hidden/results/tables/tiny.csv"
    output: "count.txt"
    shell: "wc -l {input} > {output}"

module pdgmm:
    snakefile: snakefile()
    config: config["hidden"]
    prefix: "hidden"

use rule * from pdgmm as pdgmm_*
