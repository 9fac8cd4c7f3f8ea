//! Tables of Restwell's own export, which cannot be imported: sessions and stages are in separate files.

use domain::user::ProfileField;

/// Advice for these files.
pub(super) const ADVICE: &str = "this is a table from a Restwell export, and such tables cannot be imported; \
    export again as JSON lines (ndjson) and import that file";

/// Columns of each table except the profile and the intake logs; the latter can be imported. A test of the
/// server keeps them equal to the export's.
const TABLES: [&str; 5] = [
    "id,external_id,source,time_in_bed_start,time_in_bed_end,is_nap,updated_at",
    "session_id,stage,start,end",
    "session_id,sleep_metric,value",
    "id,external_source,external_id,brand,name,servings,upc,entry_date",
    "supplement_id,order,ingredient_name,quantity,unit,active,amount_stated",
];

/// Returns whether these are the columns of such a table.
pub(super) fn is_one(header: &[String]) -> bool {
    let profile = ["user_id", "email"].into_iter().chain(ProfileField::ALL.map(ProfileField::as_str));
    let header = || header.iter().map(String::as_str);
    TABLES.iter().any(|table| table.split(',').eq(header())) || profile.eq(header())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(line: &str) -> Vec<String> {
        line.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_table_is_known_by_all_of_its_columns() {
        assert!(is_one(&header("session_id,sleep_metric,value")));
        assert!(!is_one(&header("session_id,sleep_metric")));
        assert!(!is_one(&header("session_id,sleep_metric,value,x")));
        assert!(!is_one(&header("id,external_id,supplement_id,created_at,servings")));
        assert!(!is_one(&[]));
    }
}
