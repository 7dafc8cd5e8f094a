/**
 * The page in English. Another language is another file beside this one, named by its code (fr.js, pt-BR.js), with the same
 * texts and the same parameters; the server finds it. The functions take care of plurals and word order.
 */

const language = "en";

const NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

const compact = new Intl.NumberFormat(language, { notation: "compact", compactDisplay: "long" });

/** @param {number} many */
const inWords = (many) => NUMBER_WORDS[many] ?? String(many);
/** @param {number} many @param {string} one @param {string} [more] */
const count = (many, one, more = `${one}s`) => `${many.toLocaleString(language)} ${many === 1 ? one : more}`;
/** @param {number} times */
const times = (times) => ["", "once", "twice"][times] ?? `${inWords(times)} times`;

export const text = {
  // Everywhere
  name: "setmargin",
  skipLink: "Skip to the content",
  home: "All catalogues",
  footer: "No account, no tracking. What you answer is kept under a link that only you know.",
  owner: "For the owner",
  languageTitle: "Language",
  close: "Close",
  retry: "Try again",
  titled: (/** @type {string} */ what, /** @type {string} */ name) => `${what} · ${name}`,

  // Trouble
  offline: "The connection is lost. Trying again…",
  busy: "The server is busy. Trying again in a moment…",
  unreachable: "The server cannot be reached. Nothing you answered is lost.",
  otherTab: "This interview went on in another tab. Here is where it is now.",
  otherQuestion: "This question is no longer asked, so your answer was not counted. Here is what is asked now.",
  /** What the server says is wrong, by the kind of the problem. @type {Record<string, string>} */
  problems: {
    conflict: "Somebody else was quicker: this went on elsewhere. Reload the page to see where it is now.",
    "other-question": "This question is no longer asked. Reload the page to see what is asked now.",
    "not-found": "This is gone: it was deleted, or the link is incomplete.",
    "too-many": "There are more requests than the server bears. Wait a moment, then try again.",
    unavailable: "The server cannot do this now. Try again in a moment.",
    timeout: "This took too long. Try again later.",
    replaying: "This interview is still being read. Try again in a moment.",
    damaged: "This interview cannot be read any more. Start a new one, and tell whoever runs the server.",
    internal: "The server made a mistake. Try again, and tell whoever runs it if it stays.",
    "too-complex": "This is too much to work out. Ask for something simpler: fewer or shorter must-haves.",
  },
  notFoundTitle: "There is nothing here",
  notFound: "The link may be incomplete, or what it led to is gone.",
  failedTitle: "That did not work",
  unexpected: "Something went wrong on this page. Reload it to go on; nothing you answered is lost.",
  reload: "Reload",

  // Start
  startTitle: "Find what suits you",
  startLead:
    "Compare a few examples side by side. Each answer tells us a little more about what matters to you. Stop whenever "
    + "you like: you get the configuration that suits you best so far, and the reasons.",
  choices: (/** @type {number} */ many) => count(many, "choice"),
  possibilities: (/** @type {number} */ many) => {
    if (many >= 1e15) return "countless possibilities";
    return many < 1e6 ? count(many, "possibility", "possibilities") : `${compact.format(many)} possibilities`;
  },
  begin: "Begin",
  goOn: "Go on where you left off",
  answersSoFar: (/** @type {number} */ many) => count(many, "answer"),
  forgetInterview: (/** @type {string} */ title) => `Take “${title}” off this list`,
  noCatalogues: "There are no catalogues yet. The owner adds them when the server is started.",

  // First step
  mustHavesTitle: "Anything it must have?",
  mustHavesLead: "Optional. Nothing that breaks these will be shown to you, and you can change them at any time.",
  limits: "Budget and limits",
  atMost: "at most",
  atLeast: "at least",
  choicesTitle: "Choices",
  otherWishes: "Something else",
  any: "any",
  noLimit: "no limit",
  from: "from",
  to: "to",
  howMany: "Options side by side",
  asHelps: "as helps most",
  sideBySide: (/** @type {number} */ many) => inWords(many),
  howDifferent: "They differ in",
  anyDifference: "anything",
  fewDifferences: (/** @type {number} */ most) => `at most ${inWords(most)} things`,
  start: "Just start",
  startSo: "Start",
  settings: "Settings",
  remain: (/** @type {number} */ many, /** @type {number} */ all) =>
    (many ? `${many.toLocaleString(language)} of ${all.toLocaleString(language)} fit` : "Nothing fits this yet"),
  range: (/** @type {string} */ least, /** @type {string} */ most) => `there is ${least} to ${most}`,
  onlyFrom: (/** @type {string} */ least) => `from ${least}`,
  onlyTo: (/** @type {string} */ most) => `up to ${most}`,
  startWith: (/** @type {number} */ many) => `Start with ${count(many, "must-have")}`,
  mustBe: (/** @type {string} */ name, /** @type {string} */ values) => `${name}: ${values}`,
  mustBeAtMost: (/** @type {string} */ name, /** @type {string} */ limit) => `${name} at most ${limit}`,
  mustBeAtLeast: (/** @type {string} */ name, /** @type {string} */ limit) => `${name} at least ${limit}`,

  // Must-haves
  mustHaves: "Must-haves",
  mustHavesOf: (/** @type {number} */ many) => (many ? `Must-haves (${many})` : "Must-haves"),
  apply: "Apply",
  alsoInForce: "Also in force",
  remove: (/** @type {string} */ rule) => `Remove ${rule}`,
  removeWord: "Remove",
  impossibleTitle: (/** @type {number} */ many) =>
    many > 1 ? "Nothing satisfies these together" : "Nothing satisfies this",
  impossibleCure: "Which one could you do without?",
  impossibleRules: "What can be built here obeys:",
  without: (/** @type {string} */ rule) => `Without “${rule}”`,
  mustHavesChanged: "Your must-haves are changed.",

  // Question
  question: (/** @type {number} */ number) => `Question ${number}`,
  whichBetter: "Which would you rather have?",
  rankThem: (/** @type {number} */ placed) => `Which is your ${ORDINALS[placed] ?? `${placed + 1}th`} choice?`,
  option: (/** @type {number} */ number) => `Option ${number}`,
  prefer: "This one",
  preferOption: (/** @type {number} */ number) => `I prefer option ${number}`,
  placed: (/** @type {number} */ place) => `${ORDINALS[place - 1] ?? `${place}th`} choice`,
  lowest: "lowest",
  highest: "highest",
  better: "better",
  worse: "worse",
  alike: (/** @type {number} */ many, /** @type {number} */ options) =>
    `${options === 2 ? "The same in both" : "The same in all"} (${many})`,
  noDifference: "No difference",
  skip: "Skip",
  undo: "Undo",
  undoOf: {
    answer: "Take back the last answer", "must-have": "Take back the last must-have", finish: "Go on asking",
    "asking-on": "Ask no more",
  },
  undone: "Undone.",
  undoMustHave: "Undo must-have",
  rank: "Rank them",
  keys: "Keys",
  takeOne: "Is one of them just right?",
  takeIt: "Is it just right?",
  takeOption: (/** @type {number} */ number) => `Take option ${number}`,
  spokenQuestion: (/** @type {number} */ number, /** @type {string[]} */ options) =>
    `Question ${number}. ${options.join(" ")}`,
  spokenOption: (/** @type {number} */ number, /** @type {string} */ what) => `Option ${number}: ${what}.`,

  askedAgain: (/** @type {number} */ number) => `Question ${number} again. What you said last is taken back.`,
  tookBack: (/** @type {number} */ number) => `Your answer to question ${number} is taken back.`,
  mustHaveDropped: (/** @type {string} */ rule) => `No longer a must-have: ${rule}.`,
  mustHaveAgain: (/** @type {string} */ rule) => `A must-have again: ${rule}.`,
  putBack: "Put it back",

  // Reasons and changes
  whatDecided: "What decided?",
  decided: (/** @type {string} */ name) => `${name} decided`,
  decidedLead: "Tap the row that decided, or carry on.",
  takeBecause: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ value) =>
    `Rather option ${number}, because of ${name}: ${value}`,
  otherThan: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ value) =>
    `Option ${number}: another ${name} than ${value}`,
  butWith: (/** @type {number} */ number, /** @type {string} */ name) => `Option ${number}, but ${name}:`,
  alter: "change",
  takeAndChange: (/** @type {number} */ number) => `Rather option ${number}, with something changed`,
  hintWish: "Choose one, or tap a value that should be different.",
  hintReason: "Choose one, or tap the value that decided: that says why, too.",
  notedReason: (/** @type {number} */ number, /** @type {string} */ name) => `Noted: option ${number}, because of ${name}.`,
  notedWish: (/** @type {number} */ number, /** @type {string} */ what) => `Noted: option ${number}, but ${what}.`,
  dropReason: "take the reason back",
  carryOn: "Carry on",
  whatChange: "What would you change first about it?",
  changeLead: "Tap what it should have instead, or carry on.",
  changeLeadSingle: "Tap what it should have instead.",
  changeNothing: "I would change nothing",
  backToOptions: "Back to the options",
  chosenOption: (/** @type {number} */ number) => `Option ${number} is chosen.`,
  cheaper: "cheaper",
  lower: "lower",
  higher: "higher",
  wish: (/** @type {string} */ name, /** @type {string} */ what) => `${name} ${what}`,
  nothingShort: "nothing",
  known: (/** @type {string} */ wishes) => `You told us already: ${wishes}.`,
  changeSomething: "Change something",
  changeSomethingLead: "What should be different about the best so far? We look for the best one that fits.",
  becauseOf: (/** @type {string} */ names) => `because of ${names}`,
  inSpiteOf: (/** @type {string} */ names) => `${names} does not matter`,
  wouldChange: (/** @type {string} */ what) => `would change first: ${what}`,

  // Progress
  progress: "Progress",
  /** @type {string[]} from nothing known to sure */
  sure: [
    "We are getting to know you", "A first idea", "A good idea already", "Fairly sure", "Sure",
  ],
  /** @param {string} feeling @param {number | null} left null: too many to count */
  milestoneStart: (feeling, left) => (left ? `About ${inWords(left)} questions make it sure` : feeling),
  /** @param {string} feeling @param {number | null} left null: too many to count */
  milestone: (feeling, left) => {
    if (left === 1) return `${feeling}; one more should do`;
    return `${feeling}; ${left ? `about ${inWords(left)}` : "a few"} more make it sure`;
  },
  within: (/** @type {string} */ loss, /** @type {string} */ chance) =>
    `We expect it to be within ${loss} of your best, and are ${chance} sure that it is within 5%.`,
  surelyBest: "As far as your answers go, nothing suits you better.",
  notSure: (/** @type {number} */ left) =>
    `We are not sure yet${left ? `; about ${count(left, "more question")} would tell` : ""}.`,

  // Best so far
  best: "Best so far",
  firstGuess: "A first guess, before your first answer.",
  firstGuessName: "First guess",
  now: "now",
  before: (/** @type {string} */ value) => `was ${value}`,
  becomes: (/** @type {string} */ name, /** @type {string} */ from, /** @type {string} */ to) =>
    `${name} ${to} instead of ${from}`,
  bestChanged: (/** @type {string} */ changes) => `The best so far has changed: ${changes}.`,
  take: "I take this one",
  seeWhy: "See why",

  // Help
  helpTitle: "Keys",
  helpSwitch: "Answer by single keys",
  help: (/** @type {number} */ many) => [
    [`1 – ${many}`, "prefer that option"],
    ["1 – 9", "then: the row that decided, or that should change"],
    ["← ↑ ↓ →", "from value to value in the table; Enter says it decided, or what else it could be"],
    ["C", "carry on without saying more"],
    ["0", "nothing should change"],
    ["=", "no difference"],
    ["S", "skip the question"],
    ["U", "undo the last step"],
    ["B", "best so far"],
    ["M", "must-haves"],
    ...(many > 2 ? [["R", "rank all of them"]] : []),
    ["?", "this help"],
    ["Esc", "close what is open"],
  ],

  // Result
  suits: "This one suits you best",
  taken: "You took this one",
  takenLead: "It is kept here: print it, share it, or change your mind.",
  nothingToAsk: "There is nothing to ask: this is as good as anything here.",
  nothingLeft: "Your must-haves leave nothing to ask.",
  notAnswered: "No question is answered yet, so this is only where everybody starts.",
  changeHint: "Tap any part to see what else there is, and what that would do.",
  imDone: "I’m done",
  askOn: "Ask me more",
  nothingMore: "There is nothing left to ask that would tell us more.",
  reopen: "Change my mind",
  backTo: (host) => `Back to ${host}`,
  mattersMostly: (/** @type {string} */ most) => `What matters to you: mostly ${most}.`,
  mattersBoth: (/** @type {string} */ most, /** @type {string} */ some) =>
    `What matters to you: mostly ${most}; ${some} a little.`,
  flat: "Nothing stands out yet.",

  // Changing a part of the result
  fits: {
    better: "suits you better", same: "suits you as well", little: "a little less you", less: "less you", much: "much less you",
  },
  workingOut: "one moment…",
  notPossible: "not with your must-haves",
  needs: (/** @type {string} */ others) => `needs ${others}`,
  alsoChanges: (/** @type {string} */ others) => `with it ${others}`,
  was: "before:",
  tryTitle: "Try it",
  tried: (/** @type {string} */ name, /** @type {string} */ what) => `${name} ${what}:`,
  takeChange: "Take it",
  leaveIt: "Undo",
  changedPart: "Changed, and noted what you like.",

  // Reasons
  whyTitle: "Why",
  noQuotes: "Your answers taken together suggest it; no single one says so by itself.",
  quoteMust: (/** @type {string} */ what) => `${what}: one of your must-haves.`,
  quoteSet: (/** @type {string} */ what) => `${what}: you chose it yourself.`,
  quoteAskedFor: (/** @type {string} */ what, /** @type {number} */ question) =>
    `${what}: you asked for it in question ${question}.`,
  quoteDecided: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ instead) =>
    `${what}: in question ${question} it decided for you, over ${instead}.`,
  quotePaid: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ much) =>
    `${what}: in question ${question} you paid ${much} more for it.`,
  quoteThough: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ more) =>
    `${what}: in question ${question} you took it, though it meant ${more}.`,
  quoteChosen: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ instead) =>
    `${what}: in question ${question} you took it over ${instead}.`,
  quoteWanted: (/** @type {string} */ better, /** @type {number} */ question) =>
    `you wanted it ${better} in question ${question}.`,
  quoteDecidedAmount: (/** @type {string} */ less, /** @type {number} */ question) =>
    `decided in question ${question}: you took what was ${less}.`,
  quoteGaveUp: (/** @type {string} */ less, /** @type {number} */ question, /** @type {string} */ lost) =>
    `in question ${question} you took what was ${less}, instead of ${lost}.`,
  quoteBetter: (/** @type {string} */ less, /** @type {number} */ question) =>
    `in question ${question} you took what was ${less}.`,
  saidAgain: (/** @type {number} */ more) => `(And ${more === 1 ? "once" : times(more)} more.)`,
  muchMore: (/** @type {string} */ much) => `${much} more`,
  muchLess: (/** @type {string} */ much) => `${much} less`,
  muchCheaper: (/** @type {string} */ much) => `${much} cheaper`,

  // Alternatives
  alternativesTitle: "Or rather",
  offers: { suggested: "What we would have suggested", bolder: "The bolder one", close: "Nearly as good" },
  offerCheaper: "The cheaper one",
  offerLess: (/** @type {string} */ what) => `Less ${what}`,
  offerMore: (/** @type {string} */ what) => `More ${what}`,
  offerBold: (/** @type {string} */ name, /** @type {string} */ what) =>
    `We are least sure about ${name}: worth a look if you like ${what}.`,
  offerWith: (/** @type {string} */ parts) => `With ${parts}.`,
  tips: (/** @type {string} */ name, /** @type {string} */ much) => `It would win if ${name} mattered ${much} to you.`,
  tipsMuch: [
    "a little more", "half as much again", "twice as much", "three times as much", "far more",
    "a little less", "half as much", "hardly at all",
  ],
  takeThis: "Take this one",

  // A second look, and details
  secondTitle: "Worth a second look",
  surprising: "Your other answers say something else. That may well be right; see what another answer would change.",
  asItIs: "As it is",
  asItWouldBe: "With the other answer",
  wouldStay: "The recommendation would stay as it is.",
  lookReady: "This is what would change.",
  changeAnswer: "Change my answer",
  leaveAnswer: "Leave it",
  orRather: "or rather:",
  dontCount: "do not count it",
  detailsTitle: "Details: how much each thing matters",
  whyLead: "How much each thing matters to you, judging by your answers. The thin lines show how sure that is.",
  share: (/** @type {string} */ share, /** @type {string} */ low, /** @type {string} */ high) =>
    `${share}, between ${low} and ${high}`,
  restMatters: (/** @type {string} */ names) => `Matters little: ${names}.`,
  changeTitle: "Which answers it hangs on",
  hingesLead: "Single answers that the recommendation hangs on. If one of them was not quite right, change it below.",
  withoutAnswer: (/** @type {number} */ number) => `Without your answer to question ${number}`,
  it: "it would change to",
  nothingChanges: "No single answer does: taking back any one of them would leave the recommendation as it is.",
  answersOf: (/** @type {number} */ many) => `Your answers (${many})`,
  answersLead: "Tap another option to see what it would change.",
  answerOf: (/** @type {number} */ number) => `Answer to question ${number}`,
  equalShort: "no difference",
  changed: "Changed. This is the recommendation now.",

  // What then
  keepTitle: "Keep it",
  print: "Print or save as PDF",
  shareIt: "Copy a link to this result",
  shareLink: "Link to this result",
  saveIt: "Save to compare",
  savedIt: "Saved in this browser.",
  compareIt: "Compare",
  compareTitle: "Compare with a saved result",
  compareWith: "Saved:",
  noneSaved: "Nothing is saved yet in this browser. Save a result, change something or start again, and compare.",
  dropSaved: "Take it off the list",
  noDifferences: "The two are the same.",
  thisOne: "This one",
  moreTitle: "More",
  keepLead: "This link brings you back to this interview. Whoever has it can answer, too; to show the result, share the other one.",
  copy: "Copy link",
  copied: "Copied",
  link: "Link to this interview",
  download: "Download as JSON",
  again: "Start again",
  deleteLead: "Your answers are kept under this link only. You can delete all of it for good.",
  deleteMine: "Delete my answers",
  deleteSure: "Delete your answers, this result and links to it for good?",
  deleteThem: "Yes, delete",
  keepThem: "Keep",
  deleted: "Deleted. Nothing of it is left.",
  otherCatalogue: "Look for something else",

  // A result that somebody shared
  sharedTitle: "A recommendation that was shared with you",
  sharedTaken: "This one was chosen",
  sharedLead: "In the reasons, “you” is whoever shared it.",
  findYours: "Find your own",

  // Owner
  ownerTitle: "Owner’s view",
  ownerLead: "Enter the token that the server was started with. It is kept in this tab only.",
  token: "Token",
  show: "Show",
  wrongToken: "This is not the owner’s token.",
  ownerOff: "The owner’s view is off. Start the server with SETMARGIN_OWNER_TOKEN set to switch it on.",
  deleteTitle: "Delete interviews",
  deleteOwner: "Nothing of what was shown and said is left then. What was learnt from many people stays.",
  deleteLink: "Link of an interview, or its id",
  deleteOne: "Delete it",
  deleteOneSure: "Delete this interview for good?",
  deleteUnseen: "Those that nobody has looked at for",
  unseenFor: (/** @type {number} */ days) => `${days} days`,
  deleteAll: "Delete them",
  deleteAllSure: (/** @type {number} */ days) => `Delete all that nobody has looked at for ${days} days, for good?`,
  deletedMany: (/** @type {number} */ many) => `${count(many, "interview")} deleted.`,
  nothingDeleted: "There is no such interview.",
  forget: "Forget the token",
  since: "Since",
  sinceAll: "the beginning",
  sinceDays: (/** @type {number} */ days) => `${days} days ago`,
  interviews: "Interviews",
  answered: "With answers",
  finished: "Finished",
  catalogue: "Catalogue",
  medianQuestions: "Questions, median",
  manyQuestions: "9 in 10 need at most",
  questionsNeeded: "Questions people needed",
  whereLeft: "Answers given by people who left",
  importance: "What matters, on average",
  histogramBar: (/** @type {number} */ at, /** @type {number} */ many) => `${at}: ${count(many, "person", "people")}`,
  answersGiven: "answers",
  questionsAsked: "questions",
  nothingYet: "Nothing yet.",
  offering: "What is offered",
  offeringLead: "What is withdrawn cannot be begun any more, until it is brought back; interviews that were begun go on.",
  isOffered: "offered",
  isWithdrawn: "withdrawn",
  isNotServed: "not among what this server was started with",
  withdraw: "Withdraw",
  offer: "Offer again",
  howFar: "How far people came; each line counts by itself",
  began: "Began",
  fiveAnswers: "Five answers, or all there were",
  sawResult: "Saw the result",
  took: "Took something",
  whereStopped: "Where people stopped who took nothing",
  stoppedBefore: "Before the first answer",
  stoppedAnswering: "While answering",
  stoppedAtResult: "At the result",
  takenValues: "What was taken, by attribute",
  takenMost: "Taken most often",
  wantedMost: "Must-haves and budgets",
  refusedMost: "Must-haves that nothing satisfied",
  people: (/** @type {number} */ many) => `${count(many, "person", "people")}:`,
  times: (/** @type {number} */ many) => (many === 1 ? "once:" : `${many} times:`),
  togetherWith: (/** @type {string} */ others) => `together with ${others}`,
  budgetMost: (
    /** @type {string} */ name, /** @type {string} */ half, /** @type {string} */ low, /** @type {string} */ high,
  ) => `${name} at most ${half} for half of them (${low} to ${high})`,
  budgetLeast: (
    /** @type {string} */ name, /** @type {string} */ half, /** @type {string} */ low, /** @type {string} */ high,
  ) => `${name} at least ${half} for half of them (${low} to ${high})`,
  told: "Who is told",
  toldLead: "Each is told of every interview that is finished, again and again until it has taken the message.",
  receiver: "Receiver",
  sentTo: "Taken",
  waitingFor: "Waiting",
  givenUp: "Given up",
  notTaken: (/** @type {string} */ address, /** @type {number} */ attempts, /** @type {string} */ problem) =>
    `${address}, attempt ${attempts}: ${problem}`,
  sendAgain: "Send again what was given up",
  sentAgain: (/** @type {number} */ many) => (many === 1 ? "One message is sent again." : `${many} messages are sent again.`),
  earlier: "Earlier people",
  expectsUsual: "Interviews begin without knowing earlier people.",
  /** @param {{version: number, source: string, people: number | null}} used */
  expects: ({ version, source, people }) =>
    `Interviews begin with version ${version} of what ${people ?? 0} earlier people were like, `
    + (source === "given" ? "from a file." : "learnt here."),
  learntAt: (/** @type {number} */ finished, /** @type {number} */ at) =>
    `${count(finished, "interview is", "interviews are")} finished; it is learnt anew at ${at}.`,
};
