-- Files that could not be read.
SELECT file, error FROM ranks WHERE error IS NOT NULL ORDER BY run, rank, file
