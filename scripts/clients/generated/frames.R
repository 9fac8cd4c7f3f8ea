# The R program of docs/reading-data.md on the records of frames.ndjson, as in `data_frames` of flow.py.
#
#   Rscript frames.R PROGRAM BASE_URL USER_ID TOKEN

arguments <- commandArgs(trailingOnly = TRUE)
base <- arguments[2]
user_id <- arguments[3]
token <- arguments[4]
source(arguments[1])

check <- function(what, actual, expected) {
  if (!identical(actual, expected)) {
    cat("FAIL R:", what, format(actual), "\n")
    quit(status = 1)
  }
  cat("ok   R:", what, "\n")
}

hours <- function(start, end) round(as.numeric(difftime(end, start, units = "hours")), 4)
shown <- function(time) format(time, "%H:%M")

check("times are in UTC", format(nights$time_in_bed_start, "%m-%d %H:%M:%OS2 %Z"), c(
  "03-29 22:00:00.00 UTC", "10-25 21:00:00.00 UTC", "11-10 21:00:00.00 UTC", "12-01 22:00:00.00 UTC",
  "12-10 14:00:00.25 UTC"
))
check("local times in the evening", shown(nights$time_in_bed_start_local), c("23:00", "23:00", "22:00", NA, "14:00"))
check("local times in the morning", shown(nights$time_in_bed_end_local), c("07:30", "07:00", "01:00", NA, "14:30"))
check("hours across changes", hours(nights$time_in_bed_start, nights$time_in_bed_end), c(7.5, 9, 9, 8, 0.4999))
check("the metric of the time in bed", round(nights$timeNightInBed / 3600, 4), c(7.5, 9, 9, 8, 0.4999))
check("unknown metrics", as.numeric(nights$sleepLatency), c(900, 0, NA, NA, NA))
check("naps", nights$is_nap, c(FALSE, FALSE, FALSE, NA, TRUE))
check("stages", stages$stage, c("LIGHT", "DEEP", "REM"))
check("stages belong to nights", stages$id, nights$id[c(1, 1, 2)])
check("hours of stages", hours(stages$start, stages$end), c(4, 3.0833, 9))
check("stages have the offset of bedtime", shown(stages$end_local), c("03:15", "06:20", "08:00"))
intakes <- intakes[order(intakes$created_at), ]
check("intakes", intakes$name, c("Tea", "Magnesium", "Magnesium"))
check("servings", intakes$servings, c(0.5, 2, 1))
check("an hour between two intakes", hours(intakes$created_at[1], intakes$created_at[2]), 1)
check("pages", records("sleep", pageSize = 2)$id, nights$id)
check("pages of supplements", records("supplements", pageSize = 1)$id, supplements$id)
