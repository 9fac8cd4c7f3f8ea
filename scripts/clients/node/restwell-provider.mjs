const issuer = process.env.AUTH_RESTWELL_ISSUER

export const restwell = {
  id: 'restwell',
  name: 'Restwell',
  type: 'oauth',
  issuer,
  clientId: process.env.AUTH_RESTWELL_ID,
  clientSecret: process.env.AUTH_RESTWELL_SECRET,
  checks: ['pkce', 'state'],
  authorization: { url: `${issuer}/authorize`, params: { scope: 'profile sleep' } },
  token: `${issuer}/api/token`,
  userinfo: {
    url: `${issuer}/api/v1/profile`,
    async request({ tokens }) {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const answer = await fetch(`${issuer}/api/v1/profile/${tokens.user_id}`, { headers })
      if (!answer.ok) throw new Error(`no profile: ${answer.status}`)
      return (await answer.json()).data
    },
  },
  profile: ({ user_id }) => ({ id: user_id }),
}
