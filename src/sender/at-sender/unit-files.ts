/** The files that run a sender as a service of a machine: a systemd unit, and a container file. */

const systemd = `[Unit]
Description=paydesk sender
Wants=network-online.target
After=network-online.target

[Service]
# A user of its own, who has the profiles with their keys, and the journal.
User=paydesk
ExecStart=paydesk sender serve
Restart=on-failure
RestartSec=5
# It ends what is being sent before it stops.
KillSignal=SIGTERM
TimeoutStopSec=600
SuccessExitStatus=143
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ProtectHome=no
ReadWritePaths=/home/paydesk
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
`;

const container = (health: string) => `FROM node:24-slim
RUN npm install --global paydesk && useradd --create-home paydesk
USER paydesk
# Profiles, keys and the journal: a volume that only this container uses, and that is in your backup.
VOLUME /home/paydesk
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["node", "-e", "${health}"]
CMD ["paydesk", "sender", "serve"]
`;

const answers = '(r) => { if (r.statusCode !== 200) throw r.statusCode; r.resume(); }';
const healthUrl = (scheme: string) => `${scheme}://127.0.0.1:8443/health`;
const plainHealth = `require('http').get('${healthUrl('http')}', ${answers})`;
// The certificate is for the name that desks use, and not for this address.
const tlsHealth = `require('https').get('${healthUrl('https')}', { rejectUnauthorized: false }, ${answers})`;

/** The text of one of the files. `isTls`: the sender has a certificate. */
export function unitFile(kind: 'systemd' | 'container', isTls: boolean): string {
  return kind === 'systemd' ? systemd : container(isTls ? tlsHealth : plainHealth);
}
