/** Gives each grammY `Bot` the sandbox's address and token in place of Telegram's: `node --require` loads it before a bot's file. */

const grammy = require("grammy");

class Bot extends grammy.Bot {
  constructor(_token, config) {
    super(process.env.BOT_TOKEN, { ...config, client: { ...config?.client, apiRoot: process.env.BOT_API_URL } });
  }
}

require.cache[require.resolve("grammy")].exports = { ...grammy, Bot };
