/* SPDX-License-Identifier: MIT */
/* transforms.h: the one list of the steps of a pipeline, and of their options. */
#ifndef DVI_STEPS_TRANSFORMS_H
#define DVI_STEPS_TRANSFORMS_H

/* STEP(name, the method in ML.NET, form of its columns, what it does, options)
 *
 * Options, each with what it means; `initial` is what holds if the option is not given, in the
 * notation, "" for nothing:
 *
 *   FLAG(name, initial, summary)                 name+ or name-
 *   INTEGER(name, initial, least, most, summary)
 *   NUMBER(name, initial, summary)               a real number
 *   WORD(name, initial, words, summary)          one of the words, which | separates
 *   TEXT(name, initial, summary)
 *   TEXTS(name, summary)                         [a b c]
 *   TABLE(name, summary)                         @NAME: a table
 *
 * The form of its columns:
 *
 *   ONE    New:Source, or Source: each new column is made of one
 *   MANY   New:A,B: each is made of several
 *   NAMES  names of columns
 *   NONE   there are none */
#define DVI_TRANSFORM_LIST(STEP, FLAG, INTEGER, NUMBER, WORD, TEXT, TEXTS, TABLE)                  \
    STEP(convert, "ConvertType", ONE, "Convert values to another type.",                           \
         TEXT(type, "", "the new type: R4, TX, U4[0-9], ...") TEXT(                                \
             date, "", "of dates in text: dmy, mdy, ymd, or a format such as %d/%m/%Y %H:%M"))     \
    STEP(combine, "Concatenate", MANY, "Join columns into one of vectors.",                        \
         TEXTS(aliases, "names for the columns in the names of slots; \"\": its own")              \
             TEXT(type, "", "R4 or R8, which numbers become; without it, if their types differ"))  \
    STEP(copy, "CopyColumns", ONE, "Copy columns under new names.", )                              \
    STEP(select, "SelectColumns", NAMES, "Keep these columns only, in this order.",                \
         FLAG(hidden, "-", "keep hidden columns too"))                                             \
    STEP(drop, "DropColumns", NAMES, "Leave out all columns of these names.", )                    \
    STEP(range, "FilterRowsByColumn", NAMES, "Keep rows whose value lies in a range.",             \
         NUMBER(min, "", "the least value") NUMBER(max, "", "the greatest value")                  \
             FLAG(complement, "-", "keep the other rows instead")                                  \
                 FLAG(includemin, "+", "the least value itself is in the range")                   \
                     FLAG(includemax, "",                                                          \
                          "the greatest value itself is in the range; without "                    \
                          "this option, if no greatest value is given"))                           \
    STEP(dropna, "FilterRowsByMissingValues", NAMES,                                               \
         "Leave out rows with a missing value in these columns.",                                  \
         FLAG(complement, "-", "keep these rows instead"))                                         \
    STEP(slice, "SkipTakeFilter", NONE, "Keep a run of rows.",                                     \
         INTEGER(skip, "0", 0, INT64_MAX, "rows to leave out before it")                           \
             INTEGER(take, "-1", -1, INT64_MAX, "rows to keep; -1: all"))                          \
    STEP(term, "MapValueToKey", ONE, "Number distinct values: keys.",                              \
         INTEGER(max, "1000000", 1, INT32_MAX - 1, "terms to learn; later ones are missing")       \
             WORD(sort, "occurrence", "occurrence|value", "the order of the terms")                \
                 TEXTS(terms, "the terms, which are then not learned")                             \
                     FLAG(textkv, "-", "KeyValues are texts, whatever the type"))                  \
    STEP(value, "MapKeyToValue", ONE, "Give keys back the values that they stand for.", )          \
    STEP(vector, "MapKeyToVector", ONE, "Make indicator vectors of keys.",                         \
         FLAG(bag, "-", "count the keys of a vector, in one slot for each"))                       \
    STEP(binary, "MapKeyToBinaryVector", ONE, "Write keys as binary digits.", )                    \
    STEP(onehot, "OneHotEncoding", ONE, "Number distinct values, then make indicator vectors.",    \
         WORD(kind, "ind", "ind|bag|key|bin", "indicators, counts, keys, or binary digits")        \
             INTEGER(max, "1000000", 1, INT32_MAX - 1, "terms to learn; later ones are missing")   \
                 WORD(sort, "occurrence", "occurrence|value", "the order of the terms"))           \
    STEP(hash, "Hash", ONE, "Make keys of hashes.",                                                \
         INTEGER(bits, "31", 1, 31, "of a hash; with invert at most 30")                           \
             INTEGER(seed, "314489979", 0, UINT32_MAX, "of the hash")                              \
                 FLAG(ordered, "-", "hash the slot of a value with it")                            \
                     FLAG(combine, "-", "make one key of a whole vector")                          \
                         INTEGER(invert, "0", -1, INT32_MAX,                                       \
                                 "values to remember for each key, as its name; -1: all")          \
                             WORD(hashversion, "2", "1|2", "1: as ML.NET up to 1.4"))              \
    STEP(onehothash, "OneHotHashEncoding", ONE, "Hash values, then make vectors of the keys.",     \
         WORD(kind, "bag", "ind|bag|key|bin", "indicators, counts, keys, or binary digits")        \
             INTEGER(bits, "16", 1, 30, "of a hash")                                               \
                 INTEGER(seed, "314489979", 0, UINT32_MAX, "of the hash")                          \
                     FLAG(ordered, "+", "hash the slot of a value with it")                        \
                         INTEGER(invert, "0", -1, INT32_MAX,                                       \
                                 "values to remember for each key, as its name; -1: all")          \
                             WORD(hashversion, "2", "1|2", "1: as ML.NET up to 1.4"))              \
    STEP(tokenize, "TokenizeIntoWords", ONE, "Divide texts into words.",                           \
         TEXT(sep, "", "each of its characters ends a word; without it, a blank"))                 \
    STEP(chars, "TokenizeIntoCharactersAsKeys", ONE, "Make keys of the characters of texts.",      \
         FLAG(markers, "+", "begin and end each row with a mark"))                                 \
    STEP(textnorm, "NormalizeText", ONE, "Write texts in one case; leave parts of them out.",      \
         WORD(case, "lower", "lower|upper|none", "the case")                                       \
             FLAG(diacritics, "-", "keep marks on letters")                                        \
                 FLAG(punctuation, "+", "keep punctuation") FLAG(numbers, "+", "keep numbers"))    \
    STEP(stopwords, "RemoveStopWords", ONE, "Leave words out.",                                    \
         TEXTS(words, "the words to leave out, whatever their case"))                              \
    STEP(expand, "WordBags", ONE, "Write terms as often as their frequencies say.",                \
         TEXT(sep, ";", "each of its characters ends a term")                                      \
             TEXT(freq, ":", "what stands between a term and its frequency"))                      \
    STEP(ngram, "ProduceNgrams", ONE, "Count runs of keys in vectors of keys.",                    \
         INTEGER(n, "2", 1, 10, "keys of a run at most")                                           \
             INTEGER(skips, "0", 0, 10, "keys that may be left out in it")                         \
                 FLAG(all, "+", "count shorter runs too")                                          \
                     TEXTS(max, "runs to learn, for each length; without it, 10000000")            \
                         WORD(weight, "tf", "tf|idf|tfidf",                                        \
                              "counts, how rare a run is, or their product"))                      \
    STEP(ngramhash, "ProduceHashedNgrams", MANY, "Hash runs of keys, and count the hashes.",       \
         INTEGER(n, "2", 1, 10, "keys of a run at most")                                           \
             INTEGER(skips, "0", 0, 10,                                                            \
                     "keys that may be left out in it") FLAG(all, "+", "count shorter runs too")   \
                 INTEGER(bits, "16", 1, 30, "of a hash: there are 2^bits slots")                   \
                     INTEGER(seed, "314489979", 0, UINT32_MAX, "of the hash")                      \
                         FLAG(ordered, "+", "hash the number of the column too")                   \
                             FLAG(rehash, "-", "hash single keys too")                             \
                                 INTEGER(invert, "0", -1, INT32_MAX,                               \
                                         "runs to remember for each slot, as its name; -1: all"))  \
    STEP(wordbag, "ProduceWordBags", MANY, "Count words, or runs of words.",                       \
         INTEGER(n, "1", 1, 10, "words of a run at most")                                          \
             INTEGER(skips, "0", 0, 10, "words that may be left out in it")                        \
                 FLAG(all, "+", "count shorter runs too")                                          \
                     TEXTS(max, "runs to learn, for each length; without it, 10000000")            \
                         WORD(weight, "tf", "tf|idf|tfidf",                                        \
                              "counts, how rare a run is, or their product"))                      \
    STEP(wordhashbag, "ProduceHashedWordBags", MANY,                                               \
         "Hash words, or runs of words, and count the hashes.",                                    \
         INTEGER(n, "1", 1, 10, "words of a run at most")                                          \
             INTEGER(skips, "0", 0, 10, "words that may be left out in it")                        \
                 FLAG(all, "+", "count shorter runs too")                                          \
                     INTEGER(bits, "16", 1, 30, "of a hash: there are 2^bits slots")               \
                         INTEGER(seed, "314489979", 0, UINT32_MAX, "of the hash")                  \
                             FLAG(ordered, "+", "hash the number of the column too")               \
                                 INTEGER(invert, "0", -1, INT32_MAX,                               \
                                         "runs to remember for each slot, as its name; -1: all")   \
                                     WORD(hashversion, "2", "1|2", "1: as ML.NET up to 1.4"))      \
    STEP(text, "FeaturizeText", MANY, "Make features of texts: words and runs of characters.",     \
         WORD(case, "lower", "lower|upper|none", "the case") FLAG(                                 \
             diacritics, "-",                                                                      \
             "keep marks on letters") FLAG(punctuation, "+",                                       \
                                           "keep punctuation") FLAG(numbers, "+", "keep numbers")  \
             TEXTS(stopwords, "words to leave out, whatever their case") TEXT(                     \
                 tokens, "",                                                                       \
                 "a further column, of the words") WORD(norm, "l2", "l2|l1|inf|none",              \
                                                        "of the words, and of the characters")     \
                 FLAG(word, "+", "features of words") INTEGER(                                     \
                     wordn, "1", 1, 10,                                                            \
                     "words of a run at most") INTEGER(wordskips, "0", 0, 10,                      \
                                                       "words that may be left out in it")         \
                     FLAG(wordall, "+", "count shorter runs too") TEXTS(                           \
                         wordmax, "runs to learn, for each length; without it, 10000000")          \
                         WORD(wordweight, "tf", "tf|idf|tfidf",                                    \
                              "counts, how rare a run is, or their product")                       \
                             FLAG(char, "+", "features of characters") INTEGER(                    \
                                 charn, "3", 1, 10, "characters of a run at most")                 \
                                 INTEGER(charskips, "0", 0, 10,                                    \
                                         "characters that may be left out in it")                  \
                                     FLAG(charall, "-", "count shorter runs too") TEXTS(           \
                                         charmax,                                                  \
                                         "runs to learn, for each length; without it, 10000000")   \
                                         WORD(charweight, "tf", "tf|idf|tfidf",                    \
                                              "counts, how rare a run is, or their product"))      \
    STEP(normalize, "NormalizeMinMax", ONE, "Bring numbers to one scale, slot by slot.",           \
         WORD(mode, "minmax", "minmax|meanvar|logmeanvar|bin|supbin|robust",                       \
              "by the extremes, mean and variance, those of the logarithms, bins of equal mass, "  \
              "bins by label, or the median") FLAG(fixzero, "+", "0 stays 0")                      \
             FLAG(cdf, "",                                                                         \
                  "meanvar, logmeanvar: the distribution function; without this option, if "       \
                  "the mode is logmeanvar") FLAG(sample, "-",                                      \
                                                 "meanvar, logmeanvar: the variance of a sample")  \
                 INTEGER(bins, "1024", 1, INT32_MAX, "bin, supbin: bins of a slot at most")        \
                     TEXT(label, "", "supbin: the column of labels") INTEGER(                      \
                         min, "10", 1, INT64_MAX, "supbin: rows of a bin that is divided")         \
                         FLAG(center, "+", "robust: subtract the median") TEXT(                    \
                             quantiles, "25-75", "robust: the percents of the range to scale by")  \
                             INTEGER(maxrows, "1000000000", 1, 4000000000, "rows to learn from")   \
                                 FLAG(sparse, "-",                                                 \
                                      "rows of vectors with few values become sparse, the others " \
                                      "dense, as in ML.NET"))                                      \
    STEP(lpnorm, "NormalizeLpNorm", ONE, "Scale vectors to the same norm.",                        \
         WORD(norm, "l2", "l2|l1|inf|std", "the norm; std: the standard deviation")                \
             FLAG(mean, "-", "first subtract the mean of the vector"))                             \
    STEP(gcn, "NormalizeGlobalContrast", ONE, "Center vectors, and scale them.",                   \
         FLAG(mean, "+", "subtract the mean of the vector")                                        \
             FLAG(std, "-", "divide by the standard deviation instead of the L2 norm")             \
                 NUMBER(scale, "1", "multiply by it"))                                             \
    STEP(isna, "IndicateMissingValues", ONE, "Tell which values are missing.", )                   \
    STEP(replacena, "ReplaceMissingValues", ONE, "Replace missing values.",                        \
         WORD(mode, "default", "default|mean|min|max|mode|value",                                  \
              "0; or the mean, least, greatest or most frequent value; or that of `value`")        \
             TEXT(value, "", "with mode=value: the value")                                         \
                 FLAG(slots, "+", "learn a value for each slot, not one for all"))                 \
    STEP(handlena, "MissingValueIndicatorAndReplacing", ONE,                                       \
         "Replace missing values, and tell which were missing.",                                   \
         WORD(mode, "default", "default|mean|min|max|mode|value",                                  \
              "0; or the mean, least, greatest or most frequent value; or that of `value`")        \
             TEXT(value, "", "with mode=value: the value")                                         \
                 FLAG(slots, "+", "learn a value for each slot, not one for all")                  \
                     FLAG(indicator, "+", "tell it, in as many slots after them"))                 \
    STEP(dropnaslots, "MissingValueDropping", ONE, "Leave missing values out of vectors.", )       \
    STEP(dropslots, "SlotsDropping", ONE, "Leave out slots of vectors.",                           \
         TEXTS(slots, "the slots to leave out: 3, 3-5, or 3- for all from 3 on"))                  \
    STEP(selectcount, "SelectFeaturesBasedOnCount", ONE, "Keep slots that have enough values.",    \
         INTEGER(count, "1", 1, INT64_MAX, "values that are neither the default nor missing"))     \
    STEP(selectmi, "SelectFeaturesBasedOnMutualInformation", ONE,                                  \
         "Keep the slots that tell most of a label.",                                              \
         TEXT(label, "", "the column of labels")                                                   \
             INTEGER(slots, "1000", 1, INT32_MAX, "to keep, of all columns")                       \
                 INTEGER(bins, "256", 1, INT32_MAX, "for the numbers of a slot"))                  \
    STEP(map, "MapValue", ONE, "Replace values by those that a map has for them.",                 \
         TABLE(table, "of the values to replace, and what stands for each of them") TEXT(          \
             keycolumn, "", "its column of values to replace; without it the first of two")        \
             TEXT(valuecolumn, "", "and that of what stands for them") TEXTS(                      \
                 keys, "without a table: the values to replace")                                   \
                 TEXTS(values, "and what stands for each of them, in the same order") TEXT(        \
                     keytype, "", "of the keys; without it that of the table, or of the column")   \
                     TEXT(valuetype, "", "of the values; without it that of the table, or TX")     \
                         WORD(missing, "default", "default|na",                                    \
                              "what R4 and R8 that are no key become: 0 or NaN")                   \
                             FLAG(askeys, "-", "the values become keys, as term makes them"))      \
    STEP(group, "Group", NAMES, "Make one row of consecutive rows with equal values here.",        \
         TEXTS(columns, "columns to keep: a vector of the values of these rows"))                  \
    STEP(ungroup, "Ungroup", NAMES, "Make a row of each slot of these vectors.",                   \
         WORD(mode, "inner", "inner|outer|first",                                                  \
              "rows to make of one: as the shortest, the longest or the first vector has slots"))  \
    STEP(                                                                                          \
        optional, "OptionalColumn", NAMES,                                                         \
        "Add columns of default values where they are missing.",                                   \
        TEXT(type, "", "their type; without it that which they have when the pipeline is fitted")) \
    STEP(predict, "PredictionTransformer", ONE,                                                    \
         "Score rows with a predictor that ML.NET has fitted.",                                    \
         WORD(kind, "regression", "binary|anomaly|regression|ranking|multiclass|clustering",       \
              "what is predicted")                                                                 \
             TEXT(label, "", "a further column: the label that the scores speak for")              \
                 TEXT(probability, "", "a further column: the probability of the label")           \
                     NUMBER(threshold, "0", "the label is true above it")                          \
                         WORD(thresholdof, "score", "score|probability", "what is above it")       \
                             FLAG(labels, "-", "labels have the values that a table lists"))       \
    STEP(calibrate, "CalibratorTransformer", ONE,                                                  \
         "Make probabilities of scores with a calibrator that ML.NET has fitted.", )               \
    STEP(rowid, "ProduceId", NAMES, "Add a column with the id of each row.", )                     \
    STEP(compute, "", NAMES, "Compute a column from an expression.",                               \
         TEXT(value, "", "the expression, such as area*2 (docs/spec/expressions.md)"))

#endif
