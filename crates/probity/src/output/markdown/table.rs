//! A table that fits: columns side by side where there is room, else one line per cell.

use crate::format;

/// Space between two columns.
const BETWEEN: usize = 2;

#[derive(Debug, Default)]
pub(super) struct TextTable {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl TextTable {
    pub(super) fn cell(&mut self, text: String) {
        self.row.push(text);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    pub(super) fn lines(&self, room: usize) -> Vec<String> {
        let widths = self.widths();
        let whole = widths.iter().map(|width| width + BETWEEN).sum::<usize>().saturating_sub(BETWEEN);
        if whole <= room { self.side_by_side(&widths) } else { self.below_each_other(room) }
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| format::visible_width(cell))
                .max()
                .unwrap_or(0)
        };
        (0..columns).map(widest).collect()
    }

    fn side_by_side(&self, widths: &[usize]) -> Vec<String> {
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(widths).map(|(cell, width)| {
                format!("{cell}{}", " ".repeat(width.saturating_sub(format::visible_width(cell)) + BETWEEN))
            });
            cells.collect::<String>().trim_end().to_owned()
        };
        let mut lines: Vec<String> = self.rows.iter().map(line).collect();
        if lines.len() > 1 {
            let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>();
            lines.insert(1, rule.join(&" ".repeat(BETWEEN)));
        }
        lines
    }

    fn below_each_other(&self, room: usize) -> Vec<String> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            for (name, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.trim().is_empty()) {
                lines
                    .extend(format::wrap(&format!("{name}: {cell}"), room, 2).split('\n').map(str::to_owned));
            }
            lines.push(String::new());
        }
        lines.pop();
        lines
    }
}
