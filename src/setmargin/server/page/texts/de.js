/** Die Seite auf Deutsch. */

const language = "de";

const ZAHLWORTE = ["kein", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"];
const ORDNUNGSZAHLEN = ["erste", "zweite", "dritte", "vierte", "fünfte", "sechste"];

const compact = new Intl.NumberFormat(language, { notation: "compact", compactDisplay: "long" });

/** @param {number} many */
const inWords = (many) => ZAHLWORTE[many] ?? String(many);
/** @param {number} many @param {string} one @param {string} more */
const count = (many, one, more) => `${many.toLocaleString(language)} ${many === 1 ? one : more}`;
/** @param {number} times */
const times = (times) => ["", "einmal", "zweimal"][times] ?? `${inWords(times)}mal`;
/** @param {number} place */
const ordinal = (place) => ORDNUNGSZAHLEN[place - 1] ?? `${place}.`;

export const text = {
  // Everywhere
  name: "setmargin",
  skipLink: "Zum Inhalt springen",
  home: "Alle Kataloge",
  footer: "Kein Konto, keine Verfolgung. Deine Antworten liegen unter einem Link, den nur du kennst.",
  owner: "Für den Betreiber",
  languageTitle: "Sprache",
  close: "Schließen",
  retry: "Noch einmal versuchen",
  titled: (/** @type {string} */ what, /** @type {string} */ name) => `${what} · ${name}`,

  // Trouble
  offline: "Die Verbindung ist weg. Wir versuchen es weiter …",
  busy: "Der Server hat viel zu tun. Gleich versuchen wir es noch einmal …",
  unreachable: "Der Server ist nicht zu erreichen. Von deinen Antworten geht nichts verloren.",
  otherTab: "Dieses Gespräch ging in einem anderen Tab weiter. Hier siehst du, wo es jetzt steht.",
  otherQuestion:
    "Diese Frage wird nicht mehr gestellt, deine Antwort wurde daher nicht gezählt. Hier ist die aktuelle Frage.",
  /** What the server says is wrong, by the kind of the problem. @type {Record<string, string>} */
  problems: {
    conflict: "Jemand war schneller: Es ging woanders weiter. Lade die Seite neu, um zu sehen, wo es steht.",
    "other-question": "Diese Frage wird nicht mehr gestellt. Lade die Seite neu, um zu sehen, was jetzt gefragt ist.",
    "not-found": "Das gibt es nicht mehr: Es wurde gelöscht, oder der Link ist unvollständig.",
    "too-many": "Es sind mehr Anfragen, als der Server verträgt. Warte einen Moment und versuch es noch einmal.",
    unavailable: "Der Server kann das gerade nicht. Versuch es gleich noch einmal.",
    timeout: "Das hat zu lange gedauert. Versuch es später noch einmal.",
    replaying: "Dieses Gespräch wird noch gelesen. Versuch es gleich noch einmal.",
    damaged: "Dieses Gespräch lässt sich nicht mehr lesen. Fang ein neues an, und sag dem Betreiber Bescheid.",
    internal: "Der Server hat einen Fehler gemacht. Versuch es noch einmal; bleibt es so, sag dem Betreiber Bescheid.",
    "too-complex": "Das ist zu viel auf einmal. Stell weniger oder kürzere Bedingungen.",
  },
  notFoundTitle: "Hier ist nichts",
  notFound: "Vielleicht ist der Link unvollständig, oder was dahinter lag, gibt es nicht mehr.",
  failedTitle: "Das hat nicht geklappt",
  unexpected: "Auf dieser Seite ist etwas schiefgegangen. Lade sie neu; von deinen Antworten geht nichts verloren.",
  reload: "Neu laden",

  // Start
  startTitle: "Finde, was zu dir passt",
  startLead:
    "Vergleiche ein paar Beispiele. Mit jeder Antwort verstehen wir besser, was dir wichtig ist. Hör auf, wann du "
    + "magst: Du bekommst, was nach deinen Antworten am besten passt, und die Gründe dafür.",
  choices: (/** @type {number} */ many) => count(many, "Merkmal", "Merkmale"),
  possibilities: (/** @type {number} */ many) => {
    if (many >= 1e15) return "unzählige Möglichkeiten";
    return many < 1e6 ? count(many, "Möglichkeit", "Möglichkeiten") : `${compact.format(many)} Möglichkeiten`;
  },
  begin: "Los geht’s",
  goOn: "Mach da weiter, wo du warst",
  answersSoFar: (/** @type {number} */ many) => count(many, "Antwort", "Antworten"),
  forgetInterview: (/** @type {string} */ title) => `„${title}“ aus der Liste nehmen`,
  noCatalogues: "Es gibt noch keine Kataloge. Der Betreiber gibt sie beim Start des Servers an.",

  // First step
  mustHavesTitle: "Was muss unbedingt sein?",
  mustHavesLead:
    "Freiwillig. Was dagegen verstößt, zeigen wir dir nicht, und du kannst es jederzeit wieder ändern.",
  limits: "Budget und Grenzen",
  atMost: "höchstens",
  atLeast: "mindestens",
  choicesTitle: "Merkmale",
  otherWishes: "Noch etwas anderes",
  any: "egal",
  noLimit: "egal",
  from: "von",
  to: "bis",
  howMany: "Vorschläge nebeneinander",
  asHelps: "so viele, wie weiterhelfen",
  sideBySide: (/** @type {number} */ many) => inWords(many),
  howDifferent: "Sie unterscheiden sich",
  anyDifference: "beliebig",
  fewDifferences: (/** @type {number} */ most) => `in höchstens ${inWords(most)} Dingen`,
  start: "Einfach starten",
  startSo: "Starten",
  settings: "Einstellungen",
  remain: (/** @type {number} */ many, /** @type {number} */ all) =>
    (many ? `${many.toLocaleString(language)} von ${all.toLocaleString(language)} passen` : "So gibt es noch nichts"),
  range: (/** @type {string} */ least, /** @type {string} */ most) => `es gibt ${least} bis ${most}`,
  onlyFrom: (/** @type {string} */ least) => `ab ${least}`,
  onlyTo: (/** @type {string} */ most) => `bis ${most}`,
  startWith: (/** @type {number} */ many) => `Mit ${count(many, "Bedingung", "Bedingungen")} starten`,
  mustBe: (/** @type {string} */ name, /** @type {string} */ values) => `${name}: ${values}`,
  mustBeAtMost: (/** @type {string} */ name, /** @type {string} */ limit) => `${name} höchstens ${limit}`,
  mustBeAtLeast: (/** @type {string} */ name, /** @type {string} */ limit) => `${name} mindestens ${limit}`,

  // Must-haves
  mustHaves: "Bedingungen",
  mustHavesOf: (/** @type {number} */ many) => (many ? `Bedingungen (${many})` : "Bedingungen"),
  apply: "Übernehmen",
  alsoInForce: "Außerdem gilt",
  remove: (/** @type {string} */ rule) => `${rule} entfernen`,
  removeWord: "Entfernen",
  impossibleTitle: (/** @type {number} */ many) =>
    many > 1 ? "Alles zusammen gibt es nicht" : "Das gibt es nicht",
  impossibleCure: "Worauf könntest du verzichten?",
  impossibleRules: "Was hier gebaut werden kann, richtet sich nach:",
  without: (/** @type {string} */ rule) => `Ohne „${rule}“`,
  mustHavesChanged: "Deine Bedingungen sind geändert.",

  // Question
  question: (/** @type {number} */ number) => `Frage ${number}`,
  whichBetter: "Was hättest du lieber?",
  rankThem: (/** @type {number} */ placed) => `Was ist deine ${ordinal(placed + 1)} Wahl?`,
  option: (/** @type {number} */ number) => `Vorschlag ${number}`,
  prefer: "Dieses",
  preferOption: (/** @type {number} */ number) => `Ich hätte lieber Vorschlag ${number}`,
  placed: (/** @type {number} */ place) => `${ordinal(place)} Wahl`,
  lowest: "Tiefstwert",
  highest: "Höchstwert",
  better: "besser",
  worse: "schlechter",
  alike: (/** @type {number} */ many, /** @type {number} */ options) =>
    `${options === 2 ? "Bei beiden gleich" : "Bei allen gleich"} (${many})`,
  noDifference: "Kein Unterschied",
  skip: "Auslassen",
  undo: "Zurück",
  undoOf: {
    answer: "Letzte Antwort zurücknehmen", "must-have": "Letzte Bedingung zurücknehmen", finish: "Weiter fragen lassen",
    "asking-on": "Nicht weiter fragen",
  },
  undone: "Zurückgenommen.",
  undoMustHave: "Bedingung zurück",
  rank: "Ordnen",
  keys: "Tasten",
  takeOne: "Ist eines davon genau richtig?",
  takeIt: "Ist es genau richtig?",
  takeOption: (/** @type {number} */ number) => `Vorschlag ${number} nehmen`,
  spokenQuestion: (/** @type {number} */ number, /** @type {string[]} */ options) =>
    `Frage ${number}. ${options.join(" ")}`,
  spokenOption: (/** @type {number} */ number, /** @type {string} */ what) => `Vorschlag ${number}: ${what}.`,

  askedAgain: (/** @type {number} */ number) => `Noch einmal Frage ${number}. Was du zuletzt gesagt hast, ist zurückgenommen.`,
  tookBack: (/** @type {number} */ number) => `Deine Antwort auf Frage ${number} ist zurückgenommen.`,
  mustHaveDropped: (/** @type {string} */ rule) => `Keine Bedingung mehr: ${rule}.`,
  mustHaveAgain: (/** @type {string} */ rule) => `Wieder eine Bedingung: ${rule}.`,
  putBack: "Wieder einsetzen",

  // Reasons and changes
  whatDecided: "Was gab den Ausschlag?",
  decided: (/** @type {string} */ name) => `${name} gab den Ausschlag`,
  decidedLead: "Tippe auf die Zeile, die den Ausschlag gab, oder mach einfach weiter.",
  takeBecause: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ value) =>
    `Lieber Vorschlag ${number}, wegen ${name}: ${value}`,
  otherThan: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ value) =>
    `Vorschlag ${number}: ${name} anders als ${value}`,
  butWith: (/** @type {number} */ number, /** @type {string} */ name) => `Vorschlag ${number}, aber ${name}:`,
  alter: "ändern",
  takeAndChange: (/** @type {number} */ number) => `Lieber Vorschlag ${number}, mit einer Änderung`,
  hintWish: "Wähle einen, oder tippe auf das, was anders sein soll.",
  hintReason: "Wähle einen, oder tippe auf das, was den Ausschlag gab: Das sagt auch, warum.",
  notedReason: (/** @type {number} */ number, /** @type {string} */ name) => `Notiert: Vorschlag ${number}, wegen ${name}.`,
  notedWish: (/** @type {number} */ number, /** @type {string} */ what) => `Notiert: Vorschlag ${number}, aber ${what}.`,
  dropReason: "Grund zurücknehmen",
  carryOn: "Weiter",
  whatChange: "Was würdest du daran zuerst ändern?",
  changeLead: "Tippe auf das, was es stattdessen haben soll, oder mach einfach weiter.",
  changeLeadSingle: "Tippe auf das, was es stattdessen haben soll.",
  changeNothing: "Ich würde nichts ändern",
  backToOptions: "Zurück zu den Vorschlägen",
  chosenOption: (/** @type {number} */ number) => `Vorschlag ${number} ist gewählt.`,
  cheaper: "günstiger",
  lower: "niedriger",
  higher: "höher",
  wish: (/** @type {string} */ name, /** @type {string} */ what) => `${name} ${what}`,
  nothingShort: "nichts",
  known: (/** @type {string} */ wishes) => `Das hast du uns schon gesagt: ${wishes}.`,
  changeSomething: "Etwas ändern",
  changeSomethingLead: "Was soll am bisher Besten anders sein? Wir suchen das Beste, das dazu passt.",
  becauseOf: (/** @type {string} */ names) => `wegen ${names}`,
  inSpiteOf: (/** @type {string} */ names) => `${names} ist nicht wichtig`,
  wouldChange: (/** @type {string} */ what) => `würde zuerst ändern: ${what}`,

  // Progress
  progress: "Fortschritt",
  sure: [
    "Wir lernen dich gerade kennen", "Eine erste Vorstellung", "Schon eine gute Vorstellung", "Ziemlich sicher", "Sicher",
  ],
  /** @param {string} feeling @param {number | null} left null: too many to count */
  milestoneStart: (feeling, left) => (left ? `Nach etwa ${inWords(left)} Fragen sind wir sicher` : feeling),
  /** @param {string} feeling @param {number | null} left null: too many to count */
  milestone: (feeling, left) => {
    if (left === 1) return `${feeling}; eine Antwort noch`;
    return `${feeling}; nach ${left ? `etwa ${inWords(left)}` : "ein paar"} weiteren sicher`;
  },
  within: (/** @type {string} */ loss, /** @type {string} */ chance) =>
    `Vermutlich liegt es höchstens ${loss} hinter deinem Besten; zu ${chance} sind es höchstens 5 %.`,
  surelyBest: "Nach deinen Antworten passt nichts besser zu dir.",
  notSure: (/** @type {number} */ left) =>
    `Wir sind noch nicht sicher${left ? `; etwa ${count(left, "weitere Frage", "weitere Fragen")} würden helfen` : ""}.`,

  // Best so far
  best: "Bisher am besten",
  firstGuess: "Eine erste Vermutung, noch vor deiner ersten Antwort.",
  firstGuessName: "Erste Vermutung",
  now: "jetzt",
  before: (/** @type {string} */ value) => `vorher ${value}`,
  becomes: (/** @type {string} */ name, /** @type {string} */ from, /** @type {string} */ to) =>
    `${name} ${to} statt ${from}`,
  bestChanged: (/** @type {string} */ changes) => `Das bisher Beste hat sich geändert: ${changes}.`,
  take: "Das nehme ich",
  seeWhy: "Warum?",

  // Help
  helpTitle: "Tasten",
  helpSwitch: "Mit einzelnen Tasten antworten",
  help: (/** @type {number} */ many) => [
    [`1 – ${many}`, "diesen Vorschlag lieber haben"],
    ["1 – 9", "danach: die Zeile, die den Ausschlag gab oder anders sein soll"],
    ["← ↑ ↓ →", "in der Tabelle von Wert zu Wert; Enter: Das gab den Ausschlag, oder was es stattdessen sein könnte"],
    ["C", "weiter, ohne mehr zu sagen"],
    ["0", "nichts soll anders sein"],
    ["=", "kein Unterschied"],
    ["S", "Frage überspringen"],
    ["U", "letzten Schritt zurücknehmen"],
    ["B", "bisher am besten"],
    ["M", "Bedingungen"],
    ...(many > 2 ? [["R", "alle in eine Reihenfolge bringen"]] : []),
    ["?", "diese Hilfe"],
    ["Esc", "schließen, was offen ist"],
  ],

  // Result
  suits: "Das passt am besten zu dir",
  taken: "Das hast du genommen",
  takenLead: "Es bleibt hier: drucke es, teile es, oder überleg es dir anders.",
  nothingToAsk: "Es gibt nichts zu fragen: Besseres gibt es hier nicht.",
  nothingLeft: "Deine Bedingungen lassen nichts mehr zu fragen.",
  notAnswered: "Noch ist keine Frage beantwortet; hier fangen alle an.",
  changeHint: "Tippe auf ein Teil: Du siehst, was es stattdessen gibt und was das ändern würde.",
  imDone: "Ich bin fertig",
  askOn: "Frag mich mehr",
  nothingMore: "Es gibt keine Frage mehr, die noch etwas sagen würde.",
  reopen: "Doch noch anders entscheiden",
  backTo: (host) => `Zurück zu ${host}`,
  mattersMostly: (/** @type {string} */ most) => `Wichtig ist dir vor allem: ${most}.`,
  mattersBoth: (/** @type {string} */ most, /** @type {string} */ some) =>
    `Wichtig ist dir vor allem: ${most}; ein wenig auch: ${some}.`,
  flat: "Noch sticht nichts hervor.",

  // Changing a part of the result
  fits: {
    better: "passt besser zu dir", same: "passt genauso gut", little: "passt etwas weniger", less: "passt weniger",
    much: "passt viel weniger",
  },
  workingOut: "einen Moment …",
  notPossible: "nicht mit deinen Bedingungen",
  needs: (/** @type {string} */ others) => `braucht ${others}`,
  alsoChanges: (/** @type {string} */ others) => `dazu ${others}`,
  was: "vorher:",
  tryTitle: "Ausprobieren",
  tried: (/** @type {string} */ name, /** @type {string} */ what) => `${name} ${what}:`,
  takeChange: "Nehmen",
  leaveIt: "Zurück",
  changedPart: "Geändert, und gemerkt, was du magst.",

  // Reasons
  whyTitle: "Warum",
  noQuotes: "Deine Antworten zusammen sprechen dafür; keine einzelne sagt es für sich.",
  quoteMust: (/** @type {string} */ what) => `${what}: eine deiner Bedingungen.`,
  quoteSet: (/** @type {string} */ what) => `${what}: Das hast du selbst gewählt.`,
  quoteAskedFor: (/** @type {string} */ what, /** @type {number} */ question) =>
    `${what}: In Frage ${question} hast du es dir gewünscht.`,
  quoteDecided: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ instead) =>
    `${what}: In Frage ${question} gab es den Ausschlag, vor ${instead}.`,
  quotePaid: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ much) =>
    `${what}: In Frage ${question} hast du dafür ${much} mehr bezahlt.`,
  quoteThough: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ more) =>
    `${what}: In Frage ${question} hast du es genommen, obwohl das hieß: ${more}.`,
  quoteChosen: (/** @type {string} */ what, /** @type {number} */ question, /** @type {string} */ instead) =>
    `${what}: In Frage ${question} war es dir lieber als ${instead}.`,
  quoteWanted: (/** @type {string} */ better, /** @type {number} */ question) =>
    `sollte in Frage ${question} ${better} sein.`,
  quoteDecidedAmount: (/** @type {string} */ less, /** @type {number} */ question) =>
    `gab in Frage ${question} den Ausschlag: Du hast genommen, was ${less} war.`,
  quoteGaveUp: (/** @type {string} */ less, /** @type {number} */ question, /** @type {string} */ lost) =>
    `In Frage ${question} hast du genommen, was ${less} war, statt: ${lost}.`,
  quoteBetter: (/** @type {string} */ less, /** @type {number} */ question) =>
    `In Frage ${question} hast du genommen, was ${less} war.`,
  saidAgain: (/** @type {number} */ more) => `(Und noch ${times(more)}.)`,
  muchMore: (/** @type {string} */ much) => `${much} mehr`,
  muchLess: (/** @type {string} */ much) => `${much} weniger`,
  muchCheaper: (/** @type {string} */ much) => `${much} billiger`,

  // Alternatives
  alternativesTitle: "Oder lieber",
  offers: { suggested: "Was wir vorgeschlagen hätten", bolder: "Etwas Gewagteres", close: "Fast so gut" },
  offerCheaper: "Etwas Billigeres",
  offerLess: (/** @type {string} */ what) => `Weniger ${what}`,
  offerMore: (/** @type {string} */ what) => `Mehr ${what}`,
  offerBold: (/** @type {string} */ name, /** @type {string} */ what) =>
    `Bei ${name} sind wir am wenigsten sicher: einen Blick wert, wenn dir ${what} gefällt.`,
  offerWith: (/** @type {string} */ parts) => `Mit ${parts}.`,
  tips: (/** @type {string} */ name, /** @type {string} */ much) =>
    `Das wäre vorn, wenn dir ${name} ${much} wäre.`,
  tipsMuch: [
    "etwas wichtiger", "anderthalbmal so wichtig", "doppelt so wichtig", "dreimal so wichtig", "viel wichtiger",
    "etwas weniger wichtig", "halb so wichtig", "fast egal",
  ],
  takeThis: "Das nehmen",

  // A second look, and details
  secondTitle: "Einen zweiten Blick wert",
  surprising: "Deine anderen Antworten sagen etwas anderes. Das kann gut sein; sieh nach, was eine andere Antwort ändern würde.",
  asItIs: "Wie es ist",
  asItWouldBe: "Mit der anderen Antwort",
  wouldStay: "Die Empfehlung bliebe, wie sie ist.",
  lookReady: "Das würde sich ändern.",
  changeAnswer: "Antwort ändern",
  leaveAnswer: "So lassen",
  orRather: "oder lieber:",
  dontCount: "nicht zählen",
  detailsTitle: "Genauer: wie wichtig dir was ist",
  whyLead: "Wie wichtig dir was ist, nach deinen Antworten. Die dünnen Striche zeigen, wie sicher das ist.",
  share: (/** @type {string} */ share, /** @type {string} */ low, /** @type {string} */ high) =>
    `${share}, zwischen ${low} und ${high}`,
  restMatters: (/** @type {string} */ names) => `Weniger wichtig: ${names}.`,
  changeTitle: "An welchen Antworten es hängt",
  hingesLead: "Einzelne Antworten, an denen die Empfehlung hängt. War eine nicht ganz richtig, ändere sie weiter unten.",
  withoutAnswer: (/** @type {number} */ number) => `Ohne deine Antwort auf Frage ${number}`,
  it: "würde daraus",
  nothingChanges: "An keiner einzelnen: Ohne jede von ihnen bliebe die Empfehlung, wie sie ist.",
  answersOf: (/** @type {number} */ many) => `Deine Antworten (${many})`,
  answersLead: "Tippe auf etwas anderes, um zu sehen, was es ändern würde.",
  answerOf: (/** @type {number} */ number) => `Antwort auf Frage ${number}`,
  equalShort: "kein Unterschied",
  changed: "Geändert. Das ist jetzt die Empfehlung.",

  // What then
  keepTitle: "Aufheben",
  print: "Drucken oder als PDF",
  shareIt: "Link zum Ergebnis kopieren",
  shareLink: "Link zu diesem Ergebnis",
  saveIt: "Zum Vergleichen merken",
  savedIt: "In diesem Browser gemerkt.",
  compareIt: "Vergleichen",
  compareTitle: "Mit einem gemerkten Ergebnis vergleichen",
  compareWith: "Gemerkt:",
  noneSaved: "In diesem Browser ist noch nichts gemerkt. Merke ein Ergebnis, ändere etwas oder fang von vorn an, und vergleiche.",
  dropSaved: "Von der Liste nehmen",
  noDifferences: "Beide sind gleich.",
  thisOne: "Dieses",
  moreTitle: "Mehr",
  keepLead: "Dieser Link bringt dich wieder hierher. Wer ihn hat, kann auch antworten; um das Ergebnis zu zeigen, nimm den anderen.",
  copy: "Link kopieren",
  copied: "Kopiert",
  link: "Link zu diesem Gespräch",
  download: "Als JSON herunterladen",
  again: "Von vorn anfangen",
  deleteLead: "Deine Antworten liegen nur unter diesem Link. Du kannst alles endgültig löschen.",
  deleteMine: "Meine Antworten löschen",
  deleteSure: "Deine Antworten, dieses Ergebnis und Links darauf endgültig löschen?",
  deleteThem: "Ja, löschen",
  keepThem: "Behalten",
  deleted: "Gelöscht. Davon ist nichts mehr da.",
  otherCatalogue: "Etwas anderes suchen",

  // A result that somebody shared
  sharedTitle: "Eine Empfehlung, die jemand mit dir teilt",
  sharedTaken: "Das wurde gewählt",
  sharedLead: "In den Gründen ist mit „du“ gemeint, wer es geteilt hat.",
  findYours: "Selbst etwas finden",

  // Owner
  ownerTitle: "Ansicht des Betreibers",
  ownerLead: "Gib das Token ein, mit dem der Server gestartet wurde. Es bleibt nur in diesem Tab.",
  token: "Token",
  show: "Zeigen",
  wrongToken: "Das ist nicht das Token des Betreibers.",
  ownerOff: "Die Ansicht des Betreibers ist aus. Starte den Server mit SETMARGIN_OWNER_TOKEN, um sie einzuschalten.",
  deleteTitle: "Gespräche löschen",
  deleteOwner: "Von dem, was gezeigt und gesagt wurde, bleibt dann nichts. Was von vielen gelernt wurde, bleibt.",
  deleteLink: "Link eines Gesprächs oder seine Kennung",
  deleteOne: "Löschen",
  deleteOneSure: "Dieses Gespräch endgültig löschen?",
  deleteUnseen: "Nicht mehr angesehen seit",
  unseenFor: (/** @type {number} */ days) => `${days} Tagen`,
  deleteAll: "Alle diese löschen",
  deleteAllSure: (/** @type {number} */ days) => `Alle endgültig löschen, die seit ${days} Tagen niemand angesehen hat?`,
  deletedMany: (/** @type {number} */ many) => `${count(many, "Gespräch", "Gespräche")} gelöscht.`,
  nothingDeleted: "So ein Gespräch gibt es nicht.",
  forget: "Token vergessen",
  since: "Seit",
  sinceAll: "dem Anfang",
  sinceDays: (/** @type {number} */ days) => `${days} Tagen`,
  interviews: "Gespräche",
  answered: "Mit Antworten",
  finished: "Abgeschlossen",
  catalogue: "Katalog",
  medianQuestions: "Fragen, Median",
  manyQuestions: "9 von 10 brauchen höchstens",
  questionsNeeded: "Wie viele Fragen gebraucht wurden",
  whereLeft: "Antworten derer, die gegangen sind",
  importance: "Was im Mittel wichtig ist",
  histogramBar: (/** @type {number} */ at, /** @type {number} */ many) => `${at}: ${count(many, "Person", "Personen")}`,
  answersGiven: "Antworten",
  questionsAsked: "Fragen",
  nothingYet: "Noch nichts.",
  offering: "Was angeboten wird",
  offeringLead: "Was zurückgezogen ist, kann niemand mehr beginnen, bis es wieder angeboten wird; begonnene Gespräche gehen weiter.",
  isOffered: "angeboten",
  isWithdrawn: "zurückgezogen",
  isNotServed: "nicht dabei, als dieser Server gestartet wurde",
  withdraw: "Zurückziehen",
  offer: "Wieder anbieten",
  howFar: "Wie weit die Leute kamen; jede Zeile zählt für sich",
  began: "Begonnen",
  fiveAnswers: "Fünf Antworten, oder alle",
  sawResult: "Ergebnis gesehen",
  took: "Etwas genommen",
  whereStopped: "Wo aufgehört hat, wer nichts nahm",
  stoppedBefore: "Vor der ersten Antwort",
  stoppedAnswering: "Beim Antworten",
  stoppedAtResult: "Beim Ergebnis",
  takenValues: "Was genommen wurde, nach Merkmal",
  takenMost: "Am häufigsten genommen",
  wantedMost: "Bedingungen und Budgets",
  refusedMost: "Bedingungen, die nichts erfüllt",
  people: (/** @type {number} */ many) => `${count(many, "Person", "Personen")}:`,
  times: (/** @type {number} */ many) => (many === 1 ? "einmal:" : `${many}-mal:`),
  togetherWith: (/** @type {string} */ others) => `zusammen mit ${others}`,
  budgetMost: (
    /** @type {string} */ name, /** @type {string} */ half, /** @type {string} */ low, /** @type {string} */ high,
  ) => `${name} bei der Hälfte höchstens ${half} (${low} bis ${high})`,
  budgetLeast: (
    /** @type {string} */ name, /** @type {string} */ half, /** @type {string} */ low, /** @type {string} */ high,
  ) => `${name} bei der Hälfte mindestens ${half} (${low} bis ${high})`,
  told: "Wer benachrichtigt wird",
  toldLead: "Jeder erfährt von jedem abgeschlossenen Gespräch, immer wieder, bis er die Nachricht angenommen hat.",
  receiver: "Empfänger",
  sentTo: "Angenommen",
  waitingFor: "Ausstehend",
  givenUp: "Aufgegeben",
  notTaken: (/** @type {string} */ address, /** @type {number} */ attempts, /** @type {string} */ problem) =>
    `${address}, Versuch ${attempts}: ${problem}`,
  sendAgain: "Aufgegebenes noch einmal senden",
  sentAgain: (/** @type {number} */ many) =>
    (many === 1 ? "Eine Nachricht wird noch einmal gesendet." : `${many} Nachrichten werden noch einmal gesendet.`),
  earlier: "Frühere Besucher",
  expectsUsual: "Gespräche beginnen, ohne frühere Besucher zu kennen.",
  /** @param {{version: number, source: string, people: number | null}} used */
  expects: ({ version, source, people }) =>
    `Gespräche beginnen mit Version ${version} dessen, wie ${people ?? 0} frühere Besucher waren, `
    + (source === "given" ? "aus einer Datei." : "hier gelernt."),
  learntAt: (/** @type {number} */ finished, /** @type {number} */ at) =>
    `${count(finished, "Gespräch ist", "Gespräche sind")} abgeschlossen; bei ${at} wird neu gelernt.`,
};
