import type { SentVariables } from '#shared/contract/sessions.ts';
import { Facts } from './facts.tsx';
import { PlainText } from './plain-text.tsx';

/** Which variables in the settings of a server are sent to which host, and in what. */
export function SentVariablesFacts({ sent: { origin, variables } }: { readonly sent: SentVariables }) {
  return (
    <Facts
      facts={[
        { name: 'Host', value: <PlainText text={origin} className="mono" /> },
        {
          name: 'Variables',
          value: (
            <ul aria-label="Variables" className="flex flex-col gap-0.5">
              {variables.map(({ variable, places }) => (
                <li key={variable}>
                  <PlainText inline text={variable} className="mono" />
                  <span className="text-mute"> in {places.map(placeText).join(', ')}</span>
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}

const placeText = (place: string): string => (place === 'URL' ? 'the URL' : `the header ${place}`);
