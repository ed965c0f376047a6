// Written by python -m test_support.json_schemas

/** From 0, to the left. */
export type Seat = number;

export type Face = number;

/** Empty where the seat has no dice or shows none. */
export type Hand = Array<Face>;

/** A hand for each seat. */
export type Dice = Array<Hand>;

/** The options of a game: perudo_core.Rules.to_dict. */
export type Rules = {
  preset: string;
  min_seats: number;
  max_seats: number | null;
  starting_dice: number;
  opener: "random" | "highest_die" | "highest_sum";
  plain_raise: "one_thing" | "no_decrease" | "any_higher";
  wild_ones: boolean;
  ones_may_open: boolean;
  ones_rank?: "double" | "highest" | "lowest";
  palifico: boolean;
  palifico_once: boolean;
  palifico_with_two_players: boolean;
  palifico_face_change: boolean;
  calza: boolean;
  calza_by: "anyone_but_bidder" | "bystanders" | "on_turn";
  calza_in_palifico: boolean;
  calza_with_two_players: boolean;
  lost_dice: "hidden" | "visible";
  out_of_turn_dudo: boolean;
  lose_by_difference: boolean;
  sudden_death: boolean;
  calza_costs_others?: boolean;
  first_out_wins?: boolean;
  extra_die?: boolean;
  palifico_every_round?: boolean;
  reverse_after_call?: boolean;
  reroll_after_bid?: boolean;
  double_dudo?: boolean;
};

export type Bid = {
  seat: Seat;
  quantity: number;
  face: Face;
};

export type Outcome = {
  winner: Seat;
  /** 1 for the winner, then 2, for each seat. */
  placements: Array<number>;
};

export type Shown = {
  seat: Seat;
  dice: Hand;
  bid: Bid;
};

/** An action of a game, chance included: perudo_core.dump_action. */
export type Action = {
  type: "bid";
  seat: Seat;
  quantity: number;
  face: Face;
} | {
  type: "dudo";
  seat: Seat;
} | {
  type: "calza";
  seat: Seat;
} | {
  type: "concede";
  seat: Seat;
} | {
  type: "leave";
  seat: Seat;
} | {
  type: "reroll";
  seat: Seat;
  shown: Hand;
  rolled: Hand;
} | {
  type: "roll";
  dice: Dice;
} | {
  type: "opening_roll";
  dice: Dice;
} | {
  type: "opener_draw";
  seat: Seat;
};

/** What a client sends: perudo_core.load_call. */
export type Call = {
  type: "bid";
  seat?: Seat;
  quantity: number;
  face: Face;
} | {
  type: "dudo";
  seat?: Seat;
} | {
  type: "calza";
  seat?: Seat;
};

/** What happened: perudo_core.dump_event of visible_events(events, seat). */
export type GameEvent = {
  type: "opener_rolled";
  dice: Dice;
  /** The seats that roll again. */
  tied: Array<Seat>;
} | {
  type: "opener_chosen";
  seat: Seat;
} | {
  type: "round_started";
  round: number;
  opener: Seat;
  palifico: Seat | null;
} | {
  type: "dice_rolled";
  seat: Seat;
  dice: Hand;
} | {
  type: "dice_shown";
  seat: Seat;
  dice: Hand;
  bid: Bid;
} | {
  type: "bid_made";
  bid: Bid;
} | {
  type: "dudo_called";
  seat: Seat;
  bid: Bid;
} | {
  type: "calza_called";
  seat: Seat;
  bid: Bid;
} | {
  type: "revealed";
  dice: Dice;
  bid: Bid;
  /** How many dice counted for the bid. */
  matching: number;
  ones_are_wild: boolean;
  holds: boolean;
  exact: boolean;
} | {
  type: "dice_lost";
  seat: Seat;
  amount: number;
  remaining: number;
} | {
  type: "die_regained";
  seat: Seat;
  amount: number;
} | {
  type: "seat_out";
  seat: Seat;
  place: number;
} | {
  type: "seat_left";
  seat: Seat;
  place: number;
} | {
  type: "round_voided";
  round: number;
} | {
  type: "round_conceded";
  seat: Seat;
} | {
  type: "game_over";
  outcome: Outcome;
};

/** All that one seat, or a bystander, may know: perudo_core.dump_observation. */
export type Observation = {
  schema: "perudo-observation/3";
  /** Whose knowledge it is; null for a bystander. */
  seat: Seat | null;
  rules: Rules;
  /** The players' names. */
  seats: Array<string>;
  phase: "opening" | "rolling" | "bidding" | "over";
  /** 0 before the first round. */
  round: number;
  /** For each seat. Where rules.lost_dice is hidden, an interface does not show them. */
  dice_counts: Array<number>;
  /** The seat's own dice. */
  dice: Hand;
  /** Who opens or opened the round. */
  opener: Seat | null;
  /** null while nobody is on turn. */
  turn: Seat | null;
  /** Of this round, the oldest first. */
  bids: Array<Bid>;
  /** Whose palifico round it is. */
  palifico: Seat | null;
  /** Who may still open the game, while rolls decide it. */
  contenders: Array<Seat>;
  /** Who has had a palifico round. */
  had_palifico: Array<Seat>;
  /** Who is out, in the order in which they left the game. */
  eliminated: Array<Seat>;
  /** What players have shown in this round after their bids, the oldest first; it is the beginning of their hand. */
  shown: Array<Shown>;
  ones_are_wild: boolean;
  /** The highest quantity that may be bid. */
  max_quantity: number;
  /** null until the game is over. */
  outcome: Outcome | null;
  /** The seat's legal calls. */
  legal_calls: {
    /** For each face that may be bid: the face, its lowest and its highest quantity. */
    bids: Array<[Face, number, number]>;
    dudo: boolean;
    calza: boolean;
  };
  /** The seat's dice that it may show now, to roll the others again. */
  supporting_dice: Hand;
};

/** The inputs of a game: perudo_core.Record. */
export type GameRecord = {
  schema: "perudo-record/1" | "perudo-record/2" | "perudo-record/3";
  /** A preset, and the options that differ from it; this version writes every option. */
  rules: {
    preset?: string;
    min_seats?: number;
    max_seats?: number | null;
    starting_dice?: number;
    opener?: "random" | "highest_die" | "highest_sum";
    plain_raise?: "one_thing" | "no_decrease" | "any_higher";
    wild_ones?: boolean;
    ones_may_open?: boolean;
    ones_rank?: "double" | "highest" | "lowest";
    palifico?: boolean;
    palifico_once?: boolean;
    palifico_with_two_players?: boolean;
    palifico_face_change?: boolean;
    calza?: boolean;
    calza_by?: "anyone_but_bidder" | "bystanders" | "on_turn";
    calza_in_palifico?: boolean;
    calza_with_two_players?: boolean;
    lost_dice?: "hidden" | "visible";
    out_of_turn_dudo?: boolean;
    lose_by_difference?: boolean;
    sudden_death?: boolean;
    calza_costs_others?: boolean;
    first_out_wins?: boolean;
    extra_die?: boolean;
    palifico_every_round?: boolean;
    reverse_after_call?: boolean;
    reroll_after_bid?: boolean;
    double_dudo?: boolean;
  };
  rounds: Array<{
    dice: Dice;
    calls: Array<[Seat, string]>;
  }>;
  seats: Array<string>;
  opener: Seat;
};

/** A whole state, with all dice, for storage: perudo_core.dump_state. */
export type State = {
  schema: "perudo-state/2";
  rules: Rules;
  /** The players' names. */
  seats: Array<string>;
  phase: "opening" | "rolling" | "bidding" | "over";
  /** 0 before the first round. */
  round: number;
  /** For each seat. Where rules.lost_dice is hidden, an interface does not show them. */
  dice_counts: Array<number>;
  dice: Dice;
  /** Who opens or opened the round. */
  opener: Seat | null;
  /** null while nobody is on turn. */
  turn: Seat | null;
  /** Of this round, the oldest first. */
  bids: Array<Bid>;
  /** Whose palifico round it is. */
  palifico: Seat | null;
  /** Who may still open the game, while rolls decide it. */
  contenders: Array<Seat>;
  /** Who has had a palifico round. */
  had_palifico: Array<Seat>;
  /** Who is out, in the order in which they left the game. */
  eliminated: Array<Seat>;
  /** What players have shown in this round after their bids, the oldest first; it is the beginning of their hand. */
  shown: Array<Shown>;
};
