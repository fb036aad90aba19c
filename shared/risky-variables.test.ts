import { expect, test } from 'vitest';
import { riskOfVariable } from './risky-variables.ts';

test.each([
  'NODE_OPTIONS',
  'node_options',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'PYTHONSTARTUP',
  'PYTHONPATH',
  'BASH_ENV',
  'ENV',
  'npm_config_registry',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'DOTNET_STARTUP_HOOKS',
  'GIT_SSH_COMMAND',
  'PATH',
])('%s changes what is run', (name) => {
  expect(riskOfVariable(name)).not.toBeNull();
});

test.each(['API_KEY', 'PORT', 'LOG_LEVEL', 'ENVIRONMENT', 'OLD_PATH', 'NODE_ENV', 'MY_LD_PRELOAD', ''])(
  '%s does not',
  (name) => {
    expect(riskOfVariable(name)).toBeNull();
  },
);
