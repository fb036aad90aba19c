/** How every YAML file of the user is parsed: with its limits, and errors that name the place. */
export { NotJson, parseYaml, valueOfYaml } from '#testing/saved-calls/exact-yaml.ts';
