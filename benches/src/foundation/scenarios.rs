//! Every way the provider is known to behave has a test of its own, run here by name.

use crate::{
    figure::{Figure, MeasurementSize},
    tested::TestRun,
};

/// What the provider does, and the test in `probity-models` that shows what we do then.
#[rustfmt::skip]
const SCENARIOS: &[(&str, &str)] = &[
    ("slow", "scenarios::slow"),
    ("queued", "scenarios::queued"),
    ("partial steps while in progress", "scenarios::partial_steps_are_seen_while_it_runs"),
    ("several output steps", "scenarios::ending::several_output_blocks_are_one_report_with_byte_exact_citations"),
    ("dropped stream, resumed", "scenarios::a_stream_that_drops_falls_back_to_a_look_and_is_resumed_behind_its_last_event"),
    ("missing event ids", "scenarios::without_event_ids_a_reopened_stream_starts_over_and_counts_do_not_go_back"),
    ("stuck in progress", "scenarios::stuck"),
    ("early 404", "scenarios::early_404"),
    ("early 403", "scenarios::early_403"),
    ("404 after its time", "scenarios::gone_after_its_time"),
    ("404 after 200", "scenarios::gone_after_200"),
    ("cancel accepted", "scenarios::ending::cancel_ok"),
    ("cancel answered 400", "scenarios::ending::cancel_400"),
    ("cancel answered 404 in an array", "scenarios::ending::cancel_404_array"),
    ("cancel that lags", "scenarios::ending::cancel_lag"),
    ("usage missing", "scenarios::ending::usage_missing"),
    ("plan, refine, execute", "scenarios::creating::plan_refine_execute_and_a_further_question"),
    ("requires_action but finished", "scenarios::ending::requires_action_but_finished"),
    ("unknown enums", "scenarios::ending::unknown_words_everywhere"),
    ("error shape of the Interactions API", "scenarios::creating::error_shape_interactions"),
    ("error shape of google.rpc", "scenarios::creating::error_shape_google_rpc"),
    ("error shape in an array", "scenarios::creating::error_shape_array"),
    ("429 with Retry-After", "scenarios::creating::too_many_requests_retry_after"),
    ("429 with retry-after-ms", "scenarios::creating::too_many_requests_retry_after_ms"),
    ("429 with RetryInfo in the body", "scenarios::creating::too_many_requests_retry_info"),
    ("create accepted, answer lost", "scenarios::creating::an_accepted_create_whose_answer_is_lost_is_uncertain_and_sent_once"),
    ("200 with HTML", "scenarios::creating::a_create_answered_with_html_is_uncertain"),
    ("missing input", "scenarios::creating::missing_input_is_refused_by_the_service"),
    ("agent without background", "scenarios::creating::missing_background_is_refused_by_the_service"),
    ("chaining onto a running one", "scenarios::creating::chaining_onto_a_running_one_is_refused"),
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let run = TestRun::matching("scenarios", size)?;
    let missing = run.missing(SCENARIOS.iter().copied());
    let note = if missing.is_empty() {
        format!("{} scenario tests in all, over real HTTP", run.passed.len())
    } else {
        format!("missing or failing: {}", missing.join(", "))
    };
    Ok(vec![
        Figure::judged(
            "known behaviours of the provider with a named test each, passing",
            missing.is_empty() && run.failed.is_empty(),
            format!("{} of {}", SCENARIOS.len() - missing.len(), SCENARIOS.len()),
            "all",
        )
        .with_note(note),
    ])
}
