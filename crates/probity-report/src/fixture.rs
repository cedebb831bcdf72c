//! The invented report of `probity-testing`, made into a document by the crate under test.

pub(crate) use probity_testing::report_fixture::{ReportFixture, hostile, large, research};

use probity_testing::report_fixture::WRITTEN_AT;

use crate::{CostRow, DocumentInput, ReportDocument, build_document};

pub(crate) trait FixtureDocument {
    fn document(&self) -> ReportDocument;
}

impl FixtureDocument for ReportFixture {
    fn document(&self) -> ReportDocument {
        let costs: Vec<CostRow> = self
            .costs
            .iter()
            .map(|cost| CostRow {
                label: cost.label.to_owned(),
                micro_usd: cost.micro_usd,
                calls: cost.calls,
            })
            .collect();
        build_document(&DocumentInput {
            summary: &self.summary,
            report: &self.report,
            texts: &self.texts,
            costs: &costs,
            written_at: WRITTEN_AT,
            version: "0.1.0",
        })
    }
}
