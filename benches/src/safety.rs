//! The figures of safety: no process, client, provider, page or file makes the program overspend, hang, lose what was
//! paid for or say something untrue about it. Tests of the real program yield all of them.

use crate::{
    area::Measurement,
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("money", |size| tested::measure(&MONEY, size)),
    ("providers", |size| tested::measure(&PROVIDERS, size)),
    ("clients", |size| tested::measure(&CLIENTS, size)),
    ("page", |size| tested::measure(&PAGE, size)),
    ("documents", |size| tested::measure(&DOCUMENTS, size)),
    ("files", |size| tested::measure(&FILES, size)),
];

const MONEY: [TestedFigure; 3] = [
    TestedFigure {
        test: "money::the_days_limit_holds_across_processes",
        key: "budget.overspent",
        name: "spent beyond the day's limit by processes that start runs at once",
        goal: "$0.00",
    },
    TestedFigure {
        test: "money::a_model_approves_nothing_where_its_client_can_ask",
        key: "approval.unasked",
        name: "paid runs started without the user, by a model that always confirms in a client that can ask",
        goal: "0 of 100",
    },
    TestedFigure {
        test: "money::the_same_start_from_many_processes_is_paid_once",
        key: "start.twice",
        name: "paid runs beyond the first when processes start the same question at once",
        goal: "0",
    },
];

const PROVIDERS: [TestedFigure; 4] = [
    TestedFigure {
        test: "faults::a_create_that_was_billed_behind_any_answer_is_never_sent_again",
        key: "create.second",
        name: "automatic second creates after one that was accepted and billed behind any status or cut",
        goal: "0",
    },
    TestedFigure {
        test: "faults::a_run_that_can_never_be_read_ends_at_its_deadline_and_keeps_what_came",
        key: "faults.ended",
        name: "runs ended within five seconds of their deadline, raw bytes and reason kept, whatever every look meets",
        goal: "all",
    },
    TestedFigure {
        test: "faults::a_driver_that_is_stopped_inside_the_paid_call_and_goes_on_pays_once",
        key: "stopped.creates",
        name: "creates of a run whose driver was stopped inside the paid call and went on later",
        goal: "1",
    },
    TestedFigure {
        test: "faults::a_wall_clock_that_jumps_changes_neither_the_end_nor_the_bill",
        key: "clock.jumps",
        name: "runs that complete and are paid once while the wall clock jumps",
        goal: "all",
    },
];

const CLIENTS: [TestedFigure; 4] = [
    TestedFigure {
        test: "unread::a_client_that_never_reads_takes_little_memory",
        key: "client.memory",
        name: "memory that a client takes which never reads, over stdio, socket and HTTP",
        goal: "at most 32 MB above idle",
    },
    TestedFigure {
        test: "unread::other_clients_of_the_server_do_not_wait_for_one_that_never_reads",
        key: "client.others",
        name: "p99 of another client beside one that never reads, against alone",
        goal: "at most twice",
    },
    TestedFigure {
        test: "strangers::half_open::the_owner_does_not_wait_for_half_open_connections",
        key: "halfopen.wait",
        name: "the owner's longest wait beside connections of strangers that are half open",
        goal: "at most 1 s",
    },
    TestedFigure {
        test: "termination::every_kind_of_work_is_left_in_time",
        key: "sigterm.worst",
        name: "SIGTERM in the middle of any work: the process is gone after",
        goal: "at most 5 s, nothing lost",
    },
];

const PAGE: [TestedFigure; 2] = [
    TestedFigure {
        test: "strangers::attacks::nobody_else_on_this_machine_gets_into_the_page",
        key: "page.ways_in",
        name: "ways into the local page for other ports, other users and forged requests",
        goal: "0",
    },
    TestedFigure {
        test: "strangers::browsers::every_form_and_button_works_in_real_browsers",
        key: "page.forms",
        name: "forms and buttons of the page that work in real Chromium and real Firefox",
        goal: "all",
    },
];

const DOCUMENTS: [TestedFigure; 2] = [
    TestedFigure {
        test: "documents::ten_times_the_text_takes_about_ten_times_as_long",
        key: "documents.growth",
        name: "time to examine a hostile text ten times as long",
        goal: "about 10 times, every kind",
    },
    TestedFigure {
        test: "documents::a_check_that_was_killed_twice_is_set_aside_and_slows_nothing_down",
        key: "documents.after_kill",
        name: "time of a later command after a check that was killed",
        goal: "unchanged",
    },
];

const FILES: [TestedFigure; 4] = [
    TestedFigure {
        test: "files::a_server_whose_database_is_gone_takes_on_nothing_and_says_why",
        key: "files.lost",
        name: "runs accepted and then lost when the database is removed, moved, replaced or made read-only",
        goal: "0",
    },
    TestedFigure {
        test: "files::disk_errors_are_called_what_they_are",
        key: "files.misnamed",
        name: "disk errors that are called by a wrong name",
        goal: "0",
    },
    TestedFigure {
        test: "forged::a_page_that_did_not_come_from_the_web_is_not_called_so",
        key: "bundle.forged",
        name: "forged origins in a bundle that verify as public",
        goal: "0",
    },
    TestedFigure {
        test: "project::a_file_of_another_user_is_not_obeyed_and_is_named",
        key: "project.foreign",
        name: "settings files of another user that are obeyed",
        goal: "0",
    },
];
