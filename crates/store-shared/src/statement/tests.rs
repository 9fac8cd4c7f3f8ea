use super::*;
use crate::test_support::Recorder;
use crate::unit_of_work::Transaction;

fn texts(query: impl Change) -> [String; 2] {
    let mut recorder = Recorder::default();
    Transaction::execute(&mut recorder, query).now_or_never().unwrap().unwrap();
    recorder.0.pop().unwrap()
}

#[test]
fn a_raw_statement_has_a_text_for_each_store() {
    let raw: Raw = Raw::new(["DELETE FROM a LIMIT ? FOR UPDATE", "DELETE FROM a LIMIT ?"]).bind(1);
    assert_eq!(texts(raw), ["DELETE FROM a LIMIT $1 FOR UPDATE", "DELETE FROM a LIMIT ?"]);
}

#[test]
fn an_insert_of_several_rows_is_one_statement() {
    let row = || vec![Value::Number(1), Value::Text("x".to_owned())];
    let insert = Raw::insert("a (b, c)", "(?, ?)", vec![row(), row()], "ON CONFLICT DO NOTHING");
    let [postgres, sqlite] = texts(insert);
    assert_eq!(postgres, "INSERT INTO a (b, c) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING");
    assert_eq!(sqlite, "INSERT INTO a (b, c) VALUES (?, ?), (?, ?) ON CONFLICT DO NOTHING");
}

#[test]
fn the_values_of_a_statement_are_not_printed() {
    let statement = Raw::<()>::same("DELETE FROM t WHERE hash = ?").bind("secret".to_owned());
    let text = format!("{statement:?}");
    assert!(text.contains("hash = ?") && !text.contains("secret"), "{text}");
}
