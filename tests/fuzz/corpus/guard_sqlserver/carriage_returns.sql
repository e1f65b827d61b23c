SELECT a
FROM t -- x
WHERE a = 1
