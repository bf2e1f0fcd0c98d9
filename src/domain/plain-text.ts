// Short texts that people are shown: names of users and recipients.

/** Control characters, and those that change the direction of the text around them. The contract refuses the same. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether a name looks like what it is wherever it is shown. */
export const isPlainText = (text: string): boolean => !hidden.test(text);
