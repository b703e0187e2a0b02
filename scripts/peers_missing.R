# Impute a table by mice (van Buuren and Groothuis-Oudshoorn 2011), fit a linear model to each completed table and
# predict the mean of their predictions; for scripts/peers_missing.py.
#
#     Rscript scripts/peers_missing.R TABLE.csv PREDICTIONS.csv
#
# The target of rows that are to be predicted is missing, and imputation does not learn from those rows (`ignore`).
# Defaults of mice: five imputations of five rounds by predictive mean matching. Needs Debian's r-cran-mice.

suppressPackageStartupMessages(library(mice))
files <- commandArgs(trailingOnly = TRUE)
table <- read.csv(files[1])
new <- is.na(table$target)
imputed <- mice(table, ignore = new, seed = 1, printFlag = FALSE)
scores <- sapply(seq_len(imputed$m), function(i) {
  whole <- complete(imputed, i)
  # What mice leaves out, constant or collinear columns, may still have holes.
  whole <- whole[, colSums(is.na(whole)) == 0 | names(whole) == "target"]
  suppressWarnings(predict(lm(target ~ ., data = whole[!new, ]), whole[new, ]))
})
write.csv(data.frame(prediction = rowMeans(matrix(scores, nrow = sum(new)))), files[2], row.names = FALSE)
