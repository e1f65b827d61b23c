SELECT a
FROM t
WHERE a = 1 -- last
ORDER BY a