//! Pages of supplements and of intake entered by hand.

use crate::view::{FormErrors, Moment, Person};
use askama::Template;

/// Overview of four weeks.
#[derive(Clone, Template)]
#[template(path = "supplements/supplements.html")]
pub(crate) struct Supplements {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// First and last day.
    pub(crate) period: String,
    /// Whether the four weeks end today.
    pub(crate) is_current: bool,
    /// Link to the four weeks before.
    pub(crate) earlier: Option<String>,
    /// Link to the four weeks after.
    pub(crate) later: Option<String>,
    /// Picture; `None` if nothing was taken.
    pub(crate) calendar: Option<IntakeCalendar>,
    /// The selected day.
    pub(crate) day: Option<DayTotals>,
    /// Daily sums of the ingredients over the four weeks.
    pub(crate) summary: Vec<SummaryLine>,
    /// Number of sums that are not listed.
    pub(crate) more_sums: usize,
    /// Number of ingredients of all entries that state no amount.
    pub(crate) without_amount: usize,
    /// Products of these weeks, and the person's own.
    pub(crate) products: Vec<ProductLine>,
    /// Whether there are more entries than are summed up.
    pub(crate) is_cut: bool,
}

/// Picture of intake: a row per product, a column per day.
#[derive(Clone)]
pub(crate) struct IntakeCalendar {
    /// What the picture shows, in words.
    pub(crate) finding: String,
    pub(crate) rows: Vec<CalendarRow>,
    /// Number of products that have no row.
    pub(crate) hidden: usize,
    /// First day of each week.
    pub(crate) weeks: Vec<CalendarWeek>,
    pub(crate) width: u32,
    /// End of the rows.
    pub(crate) bottom: u32,
    pub(crate) height: u32,
    /// The same as a table, latest day first.
    pub(crate) days: Vec<CalendarDay>,
}

impl IntakeCalendar {
    /// Returns whether marks of one row differ in height.
    fn has_heights(&self) -> bool {
        let mut pairs = self.rows.iter().flat_map(|row| row.marks.iter().zip(row.marks.iter().skip(1)));
        pairs.any(|(one, next)| one.height != next.height)
    }
}

/// Product in the picture.
#[derive(Clone)]
pub(crate) struct CalendarRow {
    /// Name in the picture, shortened if it is long.
    pub(crate) name: String,
    /// Text of the row's tooltip.
    pub(crate) title: String,
    pub(crate) name_y: u32,
    /// Line on which the marks stand.
    pub(crate) base: u32,
    pub(crate) marks: Vec<CalendarMark>,
}

/// Day on which a product was taken.
#[derive(Clone)]
pub(crate) struct CalendarMark {
    pub(crate) x: u32,
    /// The more servings, the higher.
    pub(crate) height: u32,
}

/// Week of the picture.
#[derive(Clone)]
pub(crate) struct CalendarWeek {
    pub(crate) x: u32,
    /// Its first day: `Tue 3 Nov`.
    pub(crate) label: String,
}

/// Day of the table.
#[derive(Clone)]
pub(crate) struct CalendarDay {
    /// Link to the entries of the day.
    pub(crate) href: String,
    pub(crate) date: Moment,
    /// Products with their servings; empty if nothing was taken.
    pub(crate) taken: String,
}

/// Entries and sums of a day.
#[derive(Clone)]
pub(crate) struct DayTotals {
    pub(crate) date: Moment,
    /// Entries by time.
    pub(crate) entries: Vec<EntryLine>,
    /// Sum of each ingredient.
    pub(crate) sums: Vec<IngredientLine>,
    /// Number of sums that are not listed.
    pub(crate) more_sums: usize,
    /// Number of ingredients that state no amount.
    pub(crate) without_amount: usize,
}

/// Entry of a day.
#[derive(Clone)]
pub(crate) struct EntryLine {
    pub(crate) id: String,
    pub(crate) at: Moment,
    pub(crate) product: String,
    /// `2 servings`.
    pub(crate) servings: String,
    /// Whether the person can change it.
    pub(crate) is_by_hand: bool,
}

/// Ingredient with its amount.
#[derive(Clone)]
pub(crate) struct IngredientLine {
    pub(crate) name: String,
    /// `25 mcg`; `None` if the label states none.
    pub(crate) amount: Option<String>,
}

/// Daily sums of an ingredient.
#[derive(Clone)]
pub(crate) struct SummaryLine {
    pub(crate) name: String,
    /// Number of days with a sum.
    pub(crate) days: usize,
    /// Smallest and largest sum: `25 to 50 mcg`.
    pub(crate) amount: String,
}

/// Product with its label.
#[derive(Clone)]
pub(crate) struct ProductLine {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Empty if the label names none.
    pub(crate) brand: String,
    /// Servings per container; empty if absent.
    pub(crate) servings: String,
    /// Product code; empty if absent.
    pub(crate) upc: String,
    /// Ingredients, or the first of them.
    pub(crate) ingredients: Vec<IngredientLine>,
    /// Number of all ingredients.
    pub(crate) ingredient_count: usize,
    /// Whether it is the current version of one of the person's own.
    pub(crate) is_own: bool,
}

impl ProductLine {
    const fn more_ingredients(&self) -> usize {
        self.ingredient_count.saturating_sub(self.ingredients.len())
    }
}

/// Choice of what to log.
#[derive(Clone, Template)]
#[template(path = "supplements/choose_supplement.html")]
pub(crate) struct ChooseSupplement {
    pub(crate) person: Person,
    /// Query as typed.
    pub(crate) query: String,
    /// Result of the search; `None` before it.
    pub(crate) found: Option<FoundLines>,
    /// Supplements that were taken lately.
    pub(crate) recent: Vec<ChoiceLine>,
    /// The person's own products that were not taken lately.
    pub(crate) own: Vec<ChoiceLine>,
    pub(crate) errors: FormErrors,
}

/// Result of a search.
#[derive(Clone)]
pub(crate) struct FoundLines {
    pub(crate) own: Vec<ChoiceLine>,
    pub(crate) catalogue: Vec<ChoiceLine>,
    /// Whether the catalogue may have more.
    pub(crate) is_partial: bool,
}

/// Supplement to choose.
#[derive(Clone)]
pub(crate) struct ChoiceLine {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Empty if the label names none.
    pub(crate) brand: String,
    /// First ingredients with their amounts; may be empty.
    pub(crate) main_ingredients: String,
    /// Last intake.
    pub(crate) last: Option<String>,
}

/// Form for an entry.
#[derive(Clone, Template)]
#[template(path = "supplements/intake_form.html")]
pub(crate) struct IntakeForm {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// Id of the form or of the entry.
    pub(crate) entry: String,
    pub(crate) is_change: bool,
    pub(crate) product: ProductLine,
    pub(crate) servings: String,
    pub(crate) date: String,
    pub(crate) time: String,
    /// Choice between the two instants of a time that occurred twice.
    pub(crate) fold: Option<FoldChoice>,
    pub(crate) zone: &'static str,
    pub(crate) errors: FormErrors,
}

/// The two instants of a time that occurred twice.
#[derive(Clone)]
pub(crate) struct FoldChoice {
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) is_first: bool,
    pub(crate) is_second: bool,
}

/// Form for a product of the person's own.
#[derive(Clone, Template)]
#[template(path = "supplements/product_form.html")]
pub(crate) struct ProductForm {
    pub(crate) person: Person,
    /// Id of the form.
    pub(crate) entry: String,
    /// Id of the product that is changed.
    pub(crate) product: Option<String>,
    pub(crate) name: String,
    pub(crate) brand: String,
    pub(crate) upc: String,
    /// Rows of ingredients; unused ones are empty.
    pub(crate) ingredients: Vec<IngredientFields>,
    pub(crate) errors: FormErrors,
}

/// Row of an ingredient, as typed.
#[derive(Clone, Default)]
pub(crate) struct IngredientFields {
    pub(crate) name: String,
    pub(crate) amount: String,
    pub(crate) unit: String,
}

impl ProductForm {
    /// Rows that are always visible.
    const VISIBLE: usize = 4;

    fn first_rows(&self) -> impl Iterator<Item = (usize, &IngredientFields)> {
        (1..).zip(&self.ingredients).take(Self::VISIBLE)
    }

    fn more_rows(&self) -> impl Iterator<Item = (usize, &IngredientFields)> {
        (1..).zip(&self.ingredients).skip(Self::VISIBLE)
    }

    /// Returns whether a further row is filled in.
    fn uses_more(&self) -> bool {
        self.more_rows().any(|(_, row)| !row.name.is_empty() || !row.amount.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{CalendarMark, CalendarRow, IntakeCalendar};

    fn calendar(rows: &[&[u32]]) -> IntakeCalendar {
        let row = |heights: &&[u32]| CalendarRow {
            name: String::new(),
            title: String::new(),
            name_y: 0,
            base: 0,
            marks: heights.iter().map(|height| CalendarMark { x: 0, height: *height }).collect(),
        };
        IntakeCalendar {
            finding: String::new(),
            rows: rows.iter().map(row).collect(),
            hidden: 0,
            weeks: Vec::new(),
            width: 0,
            bottom: 0,
            height: 0,
            days: Vec::new(),
        }
    }

    #[test]
    fn heights_are_explained_only_if_marks_of_one_row_differ() {
        assert!(!calendar(&[]).has_heights());
        assert!(!calendar(&[&[16, 16], &[16]]).has_heights());
        assert!(calendar(&[&[16], &[16, 16, 10]]).has_heights());
    }
}
