# Fit the regression of `target` on all other columns of a table with holes by lavaan (Rosseel 2012; full information
# maximum likelihood) and predict complete rows; for scripts/sight.py.
#
#     Rscript scripts/sight_lavaan.R TRAIN.csv TEST.csv PREDICTIONS.csv
#
# Prints whether the search converged (TRUE or FALSE) and the CPU seconds of sem(), which is told to compute neither standard
# errors nor tests. Predictions are the regression that the covariance it implies gives. Needs Debian's r-cran-lavaan.

suppressPackageStartupMessages(library(lavaan))
files <- commandArgs(trailingOnly = TRUE)
train <- read.csv(files[1])
test <- read.csv(files[2])
x <- setdiff(names(train), "target")
model <- paste("target ~", paste(x, collapse = " + "))
began <- proc.time()
fit <- suppressWarnings(sem(model, data = train, missing = "fiml", fixed.x = FALSE, se = "none", test = "none"))
taken <- proc.time() - began
implied <- lavInspect(fit, "implied")
weights <- solve(implied$cov[x, x], implied$cov[x, "target"])
centred <- sweep(as.matrix(test[, x]), 2, implied$mean[x])
predicted <- implied$mean[["target"]] + drop(centred %*% weights)
write.csv(data.frame(prediction = predicted), files[3], row.names = FALSE)
cat(lavInspect(fit, "converged"), taken[["user.self"]] + taken[["sys.self"]], "\n")
